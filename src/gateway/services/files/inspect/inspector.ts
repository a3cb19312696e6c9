import Joi from 'joi';
import { boundedCache } from '../../../../domain/bounded-cache.js';
import type { Clock } from '../../../../domain/clock.js';
import { GatewayError } from '../../../../domain/errors.js';
import { readJson } from '../../../../domain/json.js';
import { LIMITS } from '../../../../domain/limits.js';
import type { OutgoingFile } from '../../../kinds/kind.js';
import type { Logger } from '../../../log.js';
import { essenceOf } from '../file-types.js';
import { outputOf } from './confined.js';
import { Decoders } from './decoders.js';
import { FairQueue } from './fair-queue.js';
import type { StickerFacts } from './pictures.js';

/** Milliseconds for which a file that could not be read in time counts against its session, and how many count. */
const GRACE_MS = 60_000;
const MAX_LATE = 3;
/** Sessions that are remembered. */
const MAX_SESSIONS = 10_000;
/** Bytes of the output of ffprobe or ffmpeg. */
const MAX_OUTPUT = 1024 * 1024;
/** Pixels of a thumbnail's longer side. */
const THUMBNAIL_SIDE = 128;
/** The duration is an unsigned number of 32 bits in a message. */
const MOST_SECONDS = 2 ** 32 - 1;
const VOICE_TYPE = 'audio/ogg; codecs=opus';

/** Options that limit ffmpeg to this one file and to video formats: playlists would make it read other files and URLs. */
const SAFE_INPUT = [
  ...['-protocol_whitelist', 'file'],
  ...['-format_whitelist', 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,flv,ogg'],
];
const PROBE_ENTRIES = 'stream=width,height:stream_side_data=rotation:format=duration';
const THUMBNAIL = [
  ...['-an', '-sn', '-frames:v', '1', '-c:v', 'mjpeg', '-f', 'image2pipe'],
  ...['-vf', `scale=${THUMBNAIL_SIDE}:${THUMBNAIL_SIDE}:force_original_aspect_ratio=decrease`],
];

/** The output of ffprobe. */
interface Probe {
  streams?: { width?: number; height?: number; side_data_list?: { rotation?: number }[] }[];
  format?: { duration?: string };
}
const PROBE = Joi.object<Probe, true>({
  streams: Joi.array().items(
    Joi.object({
      width: Joi.number(),
      height: Joi.number(),
      side_data_list: Joi.array().items(Joi.object({ rotation: Joi.number() }).unknown()),
    }).unknown(),
  ),
  format: Joi.object({ duration: Joi.string() }).unknown(),
}).unknown();

/** The facts that a phone shows before it downloads a file; unknown facts are absent. */
type Facts = Partial<
  Pick<
    OutgoingFile,
    'mimeType' | 'width' | 'height' | 'seconds' | 'waveform' | 'thumbnail' | 'animated' | 'pageCount'
  >
>;

/**
 * Finds out what a recipient's phone shows of a file, and converts pictures. The files of all sessions are read in turn, and
 * within a time. A file that cannot be inspected is sent without these facts.
 */
export class Inspector {
  readonly #options;
  readonly #decoders: Decoders;
  readonly #queue = new FairQueue();
  /** When the last files were not read in time, by session: the next ones are not inspected, because each costs a process. */
  readonly #late = boundedCache<number[]>(MAX_SESSIONS);
  readonly #stopped = new AbortController();

  constructor(options: {
    clock: Clock;
    log: Logger;
    /** Folders that hold ffmpeg and ffprobe, as in `PATH`. */
    searchPath: string;
    /** Called for a file whose inspection took too long, or for which there was no place in the queue. */
    uninspected(): void;
  }) {
    this.#options = options;
    this.#decoders = new Decoders(options.clock);
  }

  /** Kills all decoders and programs. */
  stop(): void {
    this.#stopped.abort();
    this.#decoders.stop();
  }

  /**
   * Converts a picture to a sticker.
   * @returns undefined when it stays too large
   * @throws Error when it is no picture; GatewayError media_busy
   */
  sticker(clientId: string, path: string, target: string): Promise<StickerFacts | undefined> {
    return this.#within(LIMITS.conversionMs, clientId, (signal) =>
      this.#decoders.run('sticker', { path, target }, signal),
    );
  }

  /** Makes a profile picture, a square JPEG. @throws Error when it is no picture; GatewayError media_busy */
  portrait(clientId: string, path: string): Promise<Uint8Array> {
    return this.#within(LIMITS.conversionMs, clientId, (signal) =>
      this.#decoders.run('portrait', { path }, signal),
    );
  }

  /**
   * Finds out the facts that fit the file's type. Never throws.
   * @param typeOf the MIME type, or chooses it: gets the type that the first bytes show, empty when they show none
   */
  async look(
    clientId: string,
    path: string,
    typeOf: string | ((shown: string) => string),
    asVoice: boolean,
  ): Promise<Facts & { mimeType: string }> {
    const choose = typeof typeOf === 'string' ? () => typeOf : typeOf;
    let mimeType: string | undefined;
    let facts: Facts = {};
    try {
      this.#requireGrace(clientId);
      await this.#within(LIMITS.inspectionMs, clientId, async (signal) => {
        const shown =
          typeof typeOf === 'string'
            ? ''
            : await this.#attempt('type', this.#decoders.run('detect', { path }, signal));
        mimeType = choose(shown ?? '');
        facts = await this.#factsOf(path, mimeType, asVoice, signal);
        signal.throwIfAborted();
      });
    } catch (error) {
      this.#options.log.info(
        { err: error, clientId },
        'file not inspected in time; it is sent without facts',
      );
      this.#options.uninspected();
    }
    return { mimeType: mimeType ?? choose(''), ...facts };
  }

  /** Runs a task when it is the session's turn; waiting and working share the time. @throws GatewayError media_busy */
  async #within<Result>(
    ms: number,
    clientId: string,
    task: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const late = new AbortController();
    const reason = new GatewayError(
      'media_busy',
      `the file was not read within ${ms / 1_000} s; try again later`,
    );
    let isWorking = false;
    const cancel = this.#options.clock.after(ms, () => {
      if (isWorking) this.#noteLate(clientId);
      late.abort(reason);
    });
    const signal = AbortSignal.any([late.signal, this.#stopped.signal]);
    try {
      return await this.#queue.run(clientId, signal, () => {
        isWorking = true;
        return task(signal);
      });
    } finally {
      cancel();
    }
  }

  /** @throws GatewayError media_busy when too many files of the session were not read in time */
  #requireGrace(clientId: string): void {
    const since = this.#options.clock.now() - GRACE_MS;
    const late = (this.#late.get(clientId) ?? []).filter((at) => at > since);
    if (late.length < MAX_LATE) return;
    throw new GatewayError('media_busy', 'the last files of this session could not be read in time');
  }

  #noteLate(clientId: string): void {
    const before = this.#late.get(clientId) ?? [];
    this.#late.set(clientId, [...before.slice(1 - MAX_LATE), this.#options.clock.now()]);
  }

  async #factsOf(path: string, mimeType: string, asVoice: boolean, signal: AbortSignal): Promise<Facts> {
    const type = essenceOf(mimeType);
    if (type.startsWith('image/')) {
      return (await this.#attempt('picture', this.#decoders.run('image', { path }, signal))) ?? {};
    }
    if (type.startsWith('video/')) return this.#video(path, signal);
    if (type.startsWith('audio/') || type === 'application/ogg') return this.#audio(path, asVoice, signal);
    if (type === 'application/pdf') {
      const pageCount = await this.#attempt('pages', this.#decoders.run('pages', { path }, signal));
      return pageCount ? { pageCount } : {};
    }
    return {};
  }

  async #video(path: string, signal: AbortSignal): Promise<Facts> {
    const facts =
      (await this.#probeWithThumbnail(path, signal)) ??
      (await this.#attempt('video', this.#decoders.run('clip', { path }, signal)));
    return facts ? { ...facts, ...wholeSeconds(facts.seconds) } : {};
  }

  async #audio(path: string, asVoice: boolean, signal: AbortSignal): Promise<Facts> {
    const order = { path, waveform: asVoice };
    const found = await this.#attempt('audio', this.#decoders.run('audio', order, signal));
    if (!found) return {};
    const { seconds, isVoice, waveform } = found;
    return {
      ...wholeSeconds(seconds),
      ...(waveform && { waveform }),
      ...(asVoice && isVoice && { mimeType: VOICE_TYPE }),
    };
  }

  async #attempt<Found>(what: string, look: Promise<Found>): Promise<Found | undefined> {
    try {
      return await look;
    } catch (error) {
      this.#options.log.info({ err: error, what }, 'file not inspected; it is sent without these facts');
      return undefined;
    }
  }

  /** Undefined when ffprobe is not installed or cannot read the file. */
  async #probeWithThumbnail(path: string, signal: AbortSignal): Promise<Facts | undefined> {
    const facts = await this.#probe(path, signal).catch(() => undefined);
    if (!facts) return undefined;
    const thumbnail = await this.#thumbnail(path, signal).catch(() => undefined);
    return { ...facts, ...(thumbnail?.length && { thumbnail }) };
  }

  async #probe(path: string, signal: AbortSignal): Promise<Facts> {
    const asked = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', PROBE_ENTRIES, '-of', 'json'];
    const stdout = await this.#run('ffprobe', [...asked, ...SAFE_INPUT, `file:${path}`], signal);
    const { streams: [stream] = [], format }: Probe = Joi.attempt(readJson(stdout.toString()), PROBE);
    const seconds = Number(format?.duration);
    const turned = stream?.side_data_list?.some(({ rotation = 0 }) => Math.abs(rotation) % 180 === 90);
    const { width, height } = stream ?? {};
    return {
      ...(seconds > 0 && { seconds }),
      ...(width && height && (turned ? { width: height, height: width } : { width, height })),
    };
  }

  async #thumbnail(path: string, signal: AbortSignal): Promise<Uint8Array> {
    const input = ['-nostdin', '-v', 'error', '-threads', '1', ...SAFE_INPUT, '-i', `file:${path}`];
    return this.#run('ffmpeg', [...input, ...THUMBNAIL, 'pipe:1'], signal);
  }

  /** The output of a program, which is killed when the signal aborts. */
  #run(program: string, args: string[], signal: AbortSignal): Promise<Buffer> {
    const env = { PATH: this.#options.searchPath };
    return outputOf([program, ...args], { env, maxBytes: MAX_OUTPUT, signal });
  }
}

/** Phones show whole seconds, at least 1; nothing when the duration is unknown, or longer than a message can say. */
function wholeSeconds(seconds = 0): { seconds?: number } {
  const isKnown = seconds > 0 && seconds <= MOST_SECONDS;
  return isKnown ? { seconds: Math.max(1, Math.round(seconds)) } : { seconds: undefined };
}
