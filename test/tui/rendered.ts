import { render } from 'ink-testing-library';
import { createElement, Fragment, type ReactElement } from 'react';

/** A screen on a terminal of a test's own. */
export interface Rendered {
  frame(): string;
  /** Resolves with the first frame, now or later, that has all these texts. */
  frameWith(...texts: string[]): Promise<string>;
  /** Resolves with the first frame, now or later, that fits. */
  frameThat(fits: (frame: string) => boolean): Promise<string>;
  /** Types on the keyboard, each as a terminal sends it, and resolves when all of it has been read. */
  type(...inputs: string[]): Promise<void>;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  unmount(): void;
}

/** Draws a screen on a terminal of a given size. */
export function draw(screen: ReactElement, size: { columns: number; rows: number }): Rendered {
  // the size is there before the first frame
  const instance = render(createElement(Fragment));
  const { stdout } = instance;
  const write = stdout.write;
  const waiters: { fits: (frame: string) => boolean; resolve: (frame: string) => void }[] = [];
  stdout.write = (frame: string) => {
    write(frame);
    for (const { fits, resolve } of waiters) if (fits(frame)) resolve(frame);
  };
  const resize = (columns: number, rows: number) => {
    Object.defineProperty(stdout, 'columns', { configurable: true, value: columns });
    Object.defineProperty(stdout, 'rows', { configurable: true, value: rows });
    stdout.emit('resize');
  };
  resize(size.columns, size.rows);
  instance.rerender(screen);
  const frame = () => instance.lastFrame() ?? '';
  const frameThat = (fits: (frame: string) => boolean): Promise<string> => {
    if (fits(frame())) return Promise.resolve(frame());
    return new Promise((resolve) => waiters.push({ fits, resolve }));
  };
  return {
    frame,
    frameThat,
    frameWith: (...texts) => frameThat((candidate) => texts.every((text) => candidate.includes(text))),
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
