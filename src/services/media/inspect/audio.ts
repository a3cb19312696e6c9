import { createReadStream } from 'node:fs';
import { parseFile } from 'music-metadata';
import { OggOpusDecoder } from 'ogg-opus-decoder';

/** Bars of a voice note. */
const BARS = 64;
const LOUDEST = 100;
/** Samples that the decoder makes of a second, whatever the file was recorded with. */
const SAMPLE_RATE = 48_000;
/** Bytes decoded at a time: some seconds of speech. */
const CHUNK_BYTES = 16 * 1024;

/** What a phone shows of a sound before it plays it. */
export interface AudioFacts {
  /** Seconds, with their fraction; 0 when they cannot be told. */
  seconds: number;
  /** It is Opus in an Ogg container: what voice notes are. */
  isVoice: boolean;
  /** 64 loudnesses from 0 to 100; only where `waveform` was asked for and the sound is `isVoice`. */
  waveform?: Uint8Array;
}

/** Listens to a sound. @throws when it is none */
export async function audio(order: { path: string; waveform: boolean }): Promise<AudioFacts> {
  const { format } = await parseFile(order.path, { duration: true, skipCovers: true });
  const seconds = format.duration ?? 0;
  const isVoice = format.container === 'Ogg' && format.codec === 'Opus';
  if (!order.waveform || !isVoice || seconds === 0) return { seconds, isVoice };
  const waveform = await draw(order.path, seconds).catch(() => undefined);
  return { seconds, isVoice, ...(waveform && { waveform }) };
}

/** How loud a voice is from its beginning to its end, decoded piece by piece. */
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

/** Mean loudnesses of equally long parts. */
class Bars {
  readonly #sums = new Float64Array(BARS);
  readonly #samplesPerBar: number;
  #samples = 0;

  constructor(samples: number) {
    this.#samplesPerBar = samples / BARS;
  }

  add(samples: Float32Array = new Float32Array()): void {
    for (const sample of samples) {
      // a file may hold a little more than it says
      const bar = Math.min(BARS - 1, Math.floor(this.#samples++ / this.#samplesPerBar));
      this.#sums[bar] = (this.#sums[bar] ?? 0) + Math.abs(sample);
    }
  }

  /** The loudest counts as 100. */
  scaled(): Uint8Array {
    const loudest = Math.max(...this.#sums);
    return Uint8Array.from(this.#sums, (sum) => (loudest > 0 ? Math.round((sum / loudest) * LOUDEST) : 0));
  }
}
