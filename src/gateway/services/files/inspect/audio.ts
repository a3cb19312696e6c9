import { createReadStream } from 'node:fs';
import { parseFile } from 'music-metadata';
import { OggOpusDecoder } from 'ogg-opus-decoder';

/** Bars of a voice note's waveform. */
const BARS = 64;
const LOUDEST = 100;
/** Samples per second of the decoder's output, whatever the file's own rate is. */
const SAMPLE_RATE = 48_000;
/** Bytes decoded at a time: a few seconds of speech. */
const CHUNK_BYTES = 16 * 1024;

/** The facts that a phone shows before it plays a sound. */
export interface AudioFacts {
  /** With fraction; 0 when unknown. */
  seconds: number;
  /** Opus in an Ogg container, the format of voice notes. */
  isVoice: boolean;
  /** 64 loudness values from 0 to 100; only if `waveform` was asked for and the sound is `isVoice`. */
  waveform?: Uint8Array;
}

/** Reads a sound's duration and format, and its waveform if asked. @throws when the file is no sound */
export async function audio(order: { path: string; waveform: boolean }): Promise<AudioFacts> {
  const { format } = await parseFile(order.path, { duration: true, skipCovers: true });
  const seconds = format.duration ?? 0;
  const isVoice = format.container === 'Ogg' && format.codec === 'Opus';
  if (!order.waveform || !isVoice || seconds === 0) return { seconds, isVoice };
  const waveform = await draw(order.path, seconds).catch(() => undefined);
  return { seconds, isVoice, ...(waveform && { waveform }) };
}

/** The loudness of a voice note over time; the file is decoded in chunks. */
async function draw(path: string, seconds: number): Promise<Uint8Array> {
  const bars = new Bars(seconds * SAMPLE_RATE);
  const decoder = new OggOpusDecoder();
  try {
    await decoder.ready;
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
      const { channelData } = await decoder.decode(chunk);
      bars.add(channelData[0]);
    }
    const { channelData } = await decoder.flush();
    bars.add(channelData[0]);
  } finally {
    decoder.free();
  }
  return bars.scaled();
}

/** Sums of loudness over equally long parts of the sound. */
class Bars {
  readonly #sums = new Float64Array(BARS);
  readonly #samplesPerBar: number;
  #samples = 0;

  constructor(samples: number) {
    this.#samplesPerBar = samples / BARS;
  }

  add(samples: Float32Array = new Float32Array()): void {
    for (const sample of samples) {
      // a file may hold slightly more samples than its header says
      const bar = Math.min(BARS - 1, Math.floor(this.#samples++ / this.#samplesPerBar));
      this.#sums[bar] = (this.#sums[bar] ?? 0) + Math.abs(sample);
    }
  }

  /** Scaled so that the loudest bar is 100. */
  scaled(): Uint8Array {
    const loudest = Math.max(...this.#sums);
    return Uint8Array.from(this.#sums, (sum) => (loudest > 0 ? Math.round((sum / loudest) * LOUDEST) : 0));
  }
}
