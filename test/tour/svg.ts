import { columnsOf, graphemes } from '../../src/terminal/tui/text/graphemes.js';

/** The colours of a terminal: its text, its background, and its 16 colours. */
interface Scheme {
  text: string;
  back: string;
  dim: string;
  colors: readonly string[];
}

/** GitHub's colours for terminals. */
export const SCHEMES: Readonly<Record<'dark' | 'light', Scheme>> = {
  dark: {
    text: '#e6edf3',
    back: '#0d1117',
    dim: '#8b949e',
    colors: [
      ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
      ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
    ],
  },
  light: {
    text: '#1f2328',
    back: '#ffffff',
    dim: '#656d76',
    colors: [
      ...['#24292f', '#cf222e', '#116329', '#4d2d00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
      ...['#57606a', '#a40e26', '#1a7f37', '#633c01', '#218bff', '#a475f9', '#3192aa', '#ffffff'],
    ],
  },
};

interface Style {
  color: string;
  back: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

interface Run {
  text: string;
  column: number;
  columns: number;
  style: Style;
}

const PLAIN: Style = {
  color: '',
  back: '',
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

/** Pixels of a character. */
const WIDTH = 8.4;
const HEIGHT = 18;
const BASELINE = 13;
const EDGE = 10;

/** Draws a terminal's screen, as lines with the escape codes of styles, as SVG. */
export function screenSvg(screen: string, { columns, rows, theme, title }: SvgOptions): string {
  const scheme = SCHEMES[theme];
  const lines = styledRows(screen, theme).slice(0, rows);
  const [width, height] = [Math.ceil(columns * WIDTH + EDGE * 2), rows * HEIGHT + EDGE * 2];
  const backs = lines.flatMap((runs, row) => runs.map((run) => backOf(run, row, scheme)));
  const texts = lines.flatMap((runs, row) => runs.map((run) => textOf(run, row, scheme)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    '<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}.b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="${scheme.back}"/>`,
    `<g fill="${scheme.text}">`,
    ...backs,
    ...texts,
    '</g></svg>',
    '',
  ]
    .filter((part, place, all) => part !== '' || place === all.length - 1)
    .join('\n');
}

/** Reads the rows of a terminal's screen, as texts in one style each. */
export function styledRows(screen: string, theme: 'dark' | 'light'): Run[][] {
  let style = PLAIN;
  return screen.split('\n').map((line) => {
    const drawn = runsOf(line, SCHEMES[theme], style);
    style = drawn.style;
    return drawn.runs;
  });
}

export interface SvgOptions {
  columns: number;
  rows: number;
  theme: 'dark' | 'light';
  /** What the picture shows, for people who do not see it. */
  title: string;
}

const ESCAPE = '\u001b';
const CODES = new RegExp(`${ESCAPE}\\[([\\d;:]*)m`, 'g');

/** @param first the style at the end of the line before, which continues */
function runsOf(line: string, scheme: Scheme, first: Style): { runs: Run[]; style: Style } {
  const runs: Run[] = [];
  let style = first;
  let column = 0;
  let from = 0;
  const add = (text: string) => {
    for (const part of graphemes(text)) {
      const last = runs.at(-1);
      const isSimple = /^[\u0020-\u007e\u2500-\u257f]$/.test(part.text);
      const joins =
        last && last.style === style && isSimple && /[\u0020-\u007e\u2500-\u257f]$/.test(last.text);
      if (joins) {
        last.text += part.text;
        last.columns += part.columns;
      } else runs.push({ text: part.text, column, columns: part.columns, style });
      column += part.columns;
    }
  };
  for (const match of line.matchAll(CODES)) {
    add(line.slice(from, match.index));
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = styledBy(style, match[1], scheme);
  }
  add(line.slice(from));
  return { runs, style };
}

function styledBy(style: Style, codes: string, scheme: Scheme): Style {
  const next = { ...style };
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 0) Object.assign(next, PLAIN);
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) next.bold = next.dim = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.inverse = false;
    else if (code === 39) next.color = '';
    else if (code === 49) next.back = '';
    else if (code === 38 || code === 48) {
      const [color, used] = extended(numbers.slice(at + 1), scheme);
      if (code === 38) next.color = color;
      else next.back = color;
      at += used;
    } else if (code >= 30 && code <= 37) next.color = scheme.colors[code - 30] ?? '';
    else if (code >= 90 && code <= 97) next.color = scheme.colors[code - 82] ?? '';
    else if (code >= 40 && code <= 47) next.back = scheme.colors[code - 40] ?? '';
  }
  return next;
}

const LEVELS = [0, 95, 135, 175, 215, 255];

function extended(
  [kind, a = 0, b = 0, c = 0]: readonly number[],
  scheme: Scheme,
): [color: string, used: number] {
  if (kind === 2) return [hex(a, b, c), 4];
  if (a < 16) return [scheme.colors[a] ?? '', 2];
  if (a >= 232) return [hex(8 + (a - 232) * 10, 8 + (a - 232) * 10, 8 + (a - 232) * 10), 2];
  const cube = a - 16;
  const [r, g, l] = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((n) => LEVELS[n] ?? 0);
  return [hex(r ?? 0, g ?? 0, l ?? 0), 2];
}

function hex(...parts: number[]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

function backOf({ column, columns, style }: Run, row: number, scheme: Scheme): string {
  const fill = style.inverse ? style.color || scheme.text : style.back;
  if (fill === '') return '';
  const [x, y] = [number(EDGE + column * WIDTH), EDGE + row * HEIGHT];
  return `<rect x="${x}" y="${y}" width="${number(columns * WIDTH + 0.3)}" height="${HEIGHT}" fill="${fill}"/>`;
}

function textOf({ text, column, style }: Run, row: number, scheme: Scheme): string {
  if (text === '│') return wallOf(column, row, style.color || scheme.text);
  const trimmed = text.trimEnd();
  if (trimmed === '') return '';
  const shown = trimmed.trimStart();
  const before = trimmed.length - shown.length;
  const classes = [style.bold && 'b', style.italic && 'i', style.underline && 'u'].filter(Boolean).join(' ');
  const color = style.inverse ? style.back || scheme.back : style.color || (style.dim ? scheme.dim : '');
  const opacity = style.dim && style.color ? ' opacity=".7"' : '';
  const [x, y] = [number(EDGE + (column + before) * WIDTH), EDGE + row * HEIGHT + BASELINE];
  const wide = columnsOf(shown);
  const length = wide > 1 ? ` textLength="${number(wide * WIDTH)}"` : '';
  return `<text x="${x}" y="${y}"${length}${classes && ` class="${classes}"`}${color && ` fill="${color}"`}${opacity}>${escaped(shown)}</text>`;
}

/** A vertical line: drawn as text, it would have gaps between the rows. */
function wallOf(column: number, row: number, fill: string): string {
  const x = number(EDGE + column * WIDTH + WIDTH / 2 - 0.5);
  return `<rect x="${x}" y="${EDGE + row * HEIGHT}" width="1" height="${HEIGHT}" fill="${fill}"/>`;
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
