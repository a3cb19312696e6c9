import { useStdout } from 'ink';
import { useEffect, useState } from 'react';

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A terminal that does not tell its size. */
const USUAL: TerminalSize = { columns: 80, rows: 24 };

/** The terminal's size, now and after each change. */
export function useTerminalSize(): TerminalSize {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const update = () => setSize(sizeOf(stdout));
    stdout.on('resize', update);
    return () => {
      stdout.off('resize', update);
    };
  }, [stdout]);
  return size;
}

function sizeOf(stdout: { columns?: number; rows?: number }): TerminalSize {
  return { columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows };
}
