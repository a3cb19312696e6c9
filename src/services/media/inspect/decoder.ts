import { errorMessage } from '../../../domain/error-message.js';

/**
 * The program of a decoder process. Files come from strangers, so what takes them apart has a process of its own: it can
 * be ended at any time, its memory goes back with it, and it knows no secrets. Libraries are loaded when they are needed.
 */
const tasks = {
  detect: async (order: { path: string }) => (await import('./detect.js')).detect(order),
  image: async (order: { path: string }) => (await import('./image.js')).image(order),
  sticker: async (order: { path: string; target: string }) => (await import('./sticker.js')).sticker(order),
  audio: async (order: { path: string; waveform: boolean }) => (await import('./audio.js')).audio(order),
  clip: async (order: { path: string }) => (await import('./clip.js')).clip(order),
  pages: async (order: { path: string }) => (await import('./pages.js')).pages(order),
};

/** What a decoder can be asked for, by name. */
export type Tasks = typeof tasks;

/** A task as it is put to a decoder. */
export interface Question {
  name: string;
  order: unknown;
}

/** What a decoder answers; one of both. */
export interface Reply {
  result?: unknown;
  error?: string;
}

const byName: Record<string, { run(order: unknown): Promise<unknown> }['run']> = tasks;

process.on('message', async (question: Question) => process.send?.(await answer(question)));
process.on('disconnect', () => process.exit());

async function answer({ name, order }: Question): Promise<Reply> {
  try {
    return { result: await byName[name]?.(order) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}
