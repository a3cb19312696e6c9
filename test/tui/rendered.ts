import { render } from 'ink-testing-library';
import type { ReactElement } from 'react';

/** A screen on a terminal of a test's own. */
export interface Rendered {
  frame(): string;
  /** Resolves with the first frame, now or later, that has all these texts. */
  frameWith(...texts: string[]): Promise<string>;
  /** Types on the keyboard, each as a terminal sends it, and resolves when all of it has been read. */
  type(...inputs: string[]): Promise<void>;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  unmount(): void;
}

/** Draws a screen on a terminal of a given size. */
export function draw(screen: ReactElement, size: { columns: number; rows: number }): Rendered {
  const instance = render(screen);
  const { stdout } = instance;
  const write = stdout.write;
  const waiters: { texts: string[]; resolve: (frame: string) => void }[] = [];
  stdout.write = (frame: string) => {
    write(frame);
    for (const { texts, resolve } of waiters) if (has(frame, texts)) resolve(frame);
  };
  const resize = (columns: number, rows: number) => {
    Object.defineProperty(stdout, 'columns', { configurable: true, value: columns });
    Object.defineProperty(stdout, 'rows', { configurable: true, value: rows });
    stdout.emit('resize');
  };
  resize(size.columns, size.rows);
  const frame = () => instance.lastFrame() ?? '';
  return {
    frame,
    frameWith(...texts) {
      if (has(frame(), texts)) return Promise.resolve(frame());
      return new Promise((resolve) => waiters.push({ texts, resolve }));
    },
    async type(...inputs) {
      for (const input of inputs) {
        instance.stdin.write(input);
        // a lone escape is told from the beginning of a key in the turn after
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    resize,
    unmount: instance.unmount,
  };
}

function has(frame: string, texts: readonly string[]): boolean {
  return texts.every((text) => frame.includes(text));
}
