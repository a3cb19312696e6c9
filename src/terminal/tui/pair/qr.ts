import qrcode from 'qrcode-terminal';
import type { TerminalSize } from '../screen.js';
import { type Line, type Span, wrapSpan } from '../text/line.js';

/** Light on dark, independent of the terminal's colours. */
const INK: Omit<Span, 'text'> = { color: 'module', back: 'qr' };

/** Draws a QR, or says how large the terminal must be. */
export function qrLines({
  text,
  terminal,
  taken,
  instead,
}: {
  text: string;
  terminal: TerminalSize;
  /** Rows of the terminal that are not available for the QR. */
  taken: number;
  /** Lines of advice if the QR does not fit. */
  instead: readonly string[];
}): Line[] {
  const fits = ({ columns, rows }: DrawnQr, more = 0) =>
    terminal.columns >= columns && terminal.rows >= rows + taken + more;
  const qr = qrText(text);
  if (fits(qr)) return drawn(qr);
  const small = smallQrText(text);
  if (fits(small, SMALL_QR_ADVICE.length))
    return [...drawn(small), ...SMALL_QR_ADVICE.map((line) => [{ text: line }])];
  const have = `${terminal.columns}x${terminal.rows}`;
  const need = `${small.columns}x${small.rows + taken + SMALL_QR_ADVICE.length}`;
  const advice = `The QR needs a terminal of ${need}, this one has ${have}: enlarge it or make its text smaller.`;
  return [advice, ...instead].flatMap((line) => wrapSpan({ text: line }, terminal.columns));
}

function drawn({ lines }: DrawnQr): Line[] {
  return lines.map((line) => [{ ...INK, text: line }]);
}

/** What to do where the font of the terminal does not have the small blocks. */
const SMALL_QR_ADVICE = [
  'No QR above, or the phone does not read it? Enlarge the terminal,',
  'or add --qr-file FILE.png, --link or --phone NUMBER to switchboard pair.',
];

interface DrawnQr {
  lines: readonly string[];
  columns: number;
  rows: number;
}

/** Encodes a text as a QR: light modules are blocks, dark ones spaces. A pairing QR has 59 columns and 30 rows. */
export function qrText(text: string): DrawnQr {
  let drawn = '';
  // `generate` calls back synchronously
  qrcode.generate(text, { small: true }, (result) => {
    drawn = result;
  });
  const lines = drawn.split('\n').filter((line) => line !== '');
  return { lines, columns: Math.max(...lines.map((line) => line.length)), rows: lines.length };
}

/**
 * As `qrText`, with two by three modules in each cell: a pairing QR has 30 columns and 20 rows. The modules are a third
 * higher than wide, which scanners correct as they correct a view from the side. Some fonts do not have these blocks.
 */
export function smallQrText(text: string): DrawnQr {
  const modules = lightModules(qrText(text));
  const columns = Math.ceil(modules.length / 2);
  const rows = Math.ceil(modules.length / 3);
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => {
      const six = [0, 1, 2].flatMap((y) => [0, 1].map((x) => modules[row * 3 + y]?.[column * 2 + x] ?? true));
      return sextant(six.reduce((bits, isLight, at) => bits + (isLight ? 2 ** at : 0), 0));
    }).join(''),
  );
  return { lines, columns, rows };
}

/** The modules of a drawn QR with its quiet zone of one module, row by row: true for light ones. */
function lightModules({ lines }: DrawnQr): boolean[][] {
  const halves = lines.flatMap((line) =>
    ['█▀', '█▄'].map((light) => Array.from(line, (block) => light.includes(block))),
  );
  // the upper half of the first line is empty
  return halves.slice(1);
}

/** Unicode's blocks for six modules begin here; those that other blocks of Unicode show already are left out. */
const FIRST_SEXTANT = 0x1fb00;
const OTHER_BLOCKS: ReadonlyMap<number, string> = new Map([
  [0, ' '],
  [21, '▌'],
  [42, '▐'],
  [63, '█'],
]);

/** @param bits the light ones of six modules: 1 and 2 in the upper row, 4 and 8 in the middle, 16 and 32 in the lower one */
function sextant(bits: number): string {
  const leftOut = [...OTHER_BLOCKS.keys()].filter((other) => other < bits).length;
  return OTHER_BLOCKS.get(bits) ?? String.fromCodePoint(FIRST_SEXTANT + bits - leftOut);
}
