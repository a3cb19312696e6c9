import PQueue from 'p-queue';
import type { Clock } from '../../../domain/clock.js';
import type { OutgoingFile } from '../../../kinds/kind.js';
import type { Logger } from '../../../log.js';
import { essenceOf } from '../file-types.js';
import { Decoders } from './decoders.js';
import { film } from './films.js';
import type { StickerFacts } from './sticker.js';

export interface InspectorOptions {
  clock: Clock;
  log: Logger;
  /** Folders in which ffmpeg and ffprobe are looked for, as in `PATH`. */
  searchPath: string;
}

/** What was found out about a file; absent is what could not be told. */
export type Facts = Partial<
  Pick<
    OutgoingFile,
    'mimeType' | 'width' | 'height' | 'seconds' | 'waveform' | 'thumbnail' | 'animated' | 'pageCount'
  >
>;

/** Films that are looked at at the same time: each takes as much memory as its pictures are large. */
const FILMS_AT_ONCE = 2;
const VOICE_TYPE = 'audio/ogg; codecs=opus';

/** Finds out what a recipient's phone shows of a file. It never fails a send: what cannot be found out is left out. */
export class Inspector {
  readonly #decoders: Decoders;
  readonly #log: Logger;
  readonly #searchPath: string;
  readonly #films = new PQueue({ concurrency: FILMS_AT_ONCE });
  readonly #stopped = new AbortController();

  constructor({ clock, log, searchPath }: InspectorOptions) {
    this.#decoders = new Decoders(clock);
    this.#log = log;
    this.#searchPath = searchPath;
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopped.abort();
    this.#decoders.stop();
  }

  /** The type that a file's first bytes show; empty when they show none. */
  async typeOf(path: string): Promise<string> {
    return (await this.#attempt('type', this.#decoders.run('detect', { path }))) ?? '';
  }

  /** Makes a sticker of a picture. @throws Error when it is no picture, undefined when it stays too large */
  sticker(path: string, target: string): Promise<StickerFacts | undefined> {
    return this.#decoders.run('sticker', { path, target });
  }

  /** Looks into a file of a type. */
  async look(path: string, mimeType: string, asVoice: boolean): Promise<Facts> {
    const type = essenceOf(mimeType);
    if (type.startsWith('image/')) return this.#lookAtImage(path);
    if (type.startsWith('video/')) return this.#lookAtFilm(path);
    if (type.startsWith('audio/') || type === 'application/ogg') return this.#listen(path, asVoice);
    if (type === 'application/pdf') return this.#leafThrough(path);
    return {};
  }

  async #lookAtImage(path: string): Promise<Facts> {
    return (await this.#attempt('picture', this.#decoders.run('image', { path }))) ?? {};
  }

  async #lookAtFilm(path: string): Promise<Facts> {
    const programs = { searchPath: this.#searchPath, signal: this.#stopped.signal };
    const facts =
      (await this.#films.add(() => film(path, programs))) ??
      (await this.#attempt('film', this.#decoders.run('clip', { path })));
    return facts ? { ...facts, ...wholeSeconds(facts.seconds) } : {};
  }

  async #listen(path: string, asVoice: boolean): Promise<Facts> {
    const heard = await this.#attempt('sound', this.#decoders.run('audio', { path, waveform: asVoice }));
    if (!heard) return {};
    const { seconds, isVoice, waveform } = heard;
    return {
      ...wholeSeconds(seconds),
      ...(waveform && { waveform }),
      ...(asVoice && isVoice && { mimeType: VOICE_TYPE }),
    };
  }

  async #leafThrough(path: string): Promise<Facts> {
    const pageCount = await this.#attempt('pages', this.#decoders.run('pages', { path }));
    return pageCount ? { pageCount } : {};
  }

  async #attempt<Found>(what: string, look: Promise<Found>): Promise<Found | undefined> {
    try {
      return await look;
    } catch (error) {
      this.#log.info({ err: error, what }, 'a file goes out without what could not be found out');
      return undefined;
    }
  }
}

/** Phones count in whole seconds, and show nothing for none. */
function wholeSeconds(seconds = 0): { seconds?: number } {
  return seconds > 0 ? { seconds: Math.max(1, Math.round(seconds)) } : { seconds: undefined };
}
