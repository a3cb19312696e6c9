/** A colour by its purpose or by its name; the theme decides how it looks on the terminal. */
export type Color =
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'cyan'
  | 'magenta'
  /** The pane with the focus, the keys, own messages. */
  | 'accent'
  /** Frames of the other panes. */
  | 'border'
  /** The light modules of a QR. */
  | 'module'
  | Person;

/** One of the colours that tell people apart. */
export type Person =
  | 'person0'
  | 'person1'
  | 'person2'
  | 'person3'
  | 'person4'
  | 'person5'
  | 'person6'
  | 'person7';

/** The background of a text, by its purpose. */
export type Back =
  /** The selected row of the pane with the focus, and of the other panes. */
  | 'selected'
  | 'idle'
  /** Messages of this number, and of other people. */
  | 'own'
  | 'other'
  /** The first and the last row of the screen. */
  | 'bar'
  | 'unread'
  | 'failed'
  /** Words that were searched for. */
  | 'match'
  /** The dark modules of a QR. */
  | 'qr';

/** How many colours the terminal draws: 16 of its own theme, 256, or any. */
export type Depth = 16 | 256 | 16_777_216;

export interface Palette {
  depth: Depth;
  /** Whether the terminal has a light background. Unknown: only the 16 colours of the terminal's own theme are safe. */
  light?: boolean | undefined;
}

/** A colour on a dark and on a light background, and its number in the terminal's own 16 colours. */
type Shade = readonly [dark: string, light: string, own: number];

const COLORS: Readonly<Record<Color, Shade>> = {
  red: ['#ff7b72', '#cf222e', 31],
  green: ['#56d364', '#1a7f37', 32],
  yellow: ['#e3b341', '#8a5a00', 33],
  blue: ['#79c0ff', '#0969da', 34],
  magenta: ['#d2a8ff', '#8250df', 35],
  cyan: ['#56d4dd', '#1b7c83', 36],
  accent: ['#3ddc97', '#007a52', 32],
  border: ['#57606a', '#afb8c1', 90],
  module: ['#ffffff', '#ffffff', 97],
  person0: ['#79c0ff', '#0550ae', 34],
  person1: ['#ffa657', '#953800', 33],
  person2: ['#d2a8ff', '#6639ba', 35],
  person3: ['#56d4dd', '#11636b', 36],
  person4: ['#ff9bce', '#99286e', 95],
  person5: ['#e3c55b', '#7a5200', 93],
  person6: ['#a5d6ff', '#3d5a80', 94],
  person7: ['#ffb3a7', '#a40e26', 96],
};

/** Backgrounds, and with which colours the terminal's own theme shows the same; none: another mark is enough. */
const BACKS: Readonly<Record<Back, readonly [dark: string, light: string, own: readonly number[]]>> = {
  selected: ['#1f4a7a', '#cfe5ff', [44, 97]],
  idle: ['#2b3138', '#e9ecef', []],
  own: ['#124233', '#d8f5e3', []],
  other: ['#262c34', '#eff1f4', []],
  bar: ['#1b2027', '#e4e8ec', []],
  unread: ['#238636', '#a7e8b8', [42, 30]],
  failed: ['#8e1519', '#ffcecb', [41, 97]],
  match: ['#7d5a00', '#ffe28a', [43, 30]],
  qr: ['#000000', '#000000', [40]],
};

const PEOPLE: readonly Person[] = [
  'person0',
  'person1',
  'person2',
  'person3',
  'person4',
  'person5',
  'person6',
  'person7',
];

/** Returns the colour of a person: always the same for the same name. */
export function personColor(name: string): Person {
  let hash = 0;
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return PEOPLE[hash % PEOPLE.length] ?? 'person0';
}

/** Returns the parameters that switch a text colour on. */
export function colorCode(color: Color, palette: Palette): string {
  const [dark, light, own] = COLORS[color];
  if (isOwn(palette)) return String(own);
  return `38;${shadeCode(palette.light ? light : dark, palette.depth)}`;
}

/** Returns the parameters that switch a background on; empty if the terminal has none that is safe. */
export function backCode(back: Back, palette: Palette): string {
  const [dark, light, own] = BACKS[back];
  if (isOwn(palette)) return own.join(';');
  return `48;${shadeCode(palette.light ? light : dark, palette.depth)}`;
}

/** Whether messages have a background of their own. */
export function hasBacks(palette: Palette): boolean {
  return !isOwn(palette);
}

/** On an unknown background every other colour could be unreadable. */
function isOwn({ depth, light }: Palette): boolean {
  return depth === 16 || light === undefined;
}

function shadeCode(hex: string, depth: Depth): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return depth === 256 ? `5;${nearest(red, green, blue)}` : `2;${red};${green};${blue}`;
}

const STEPS = [0, 95, 135, 175, 215, 255];

/** Returns the nearest of the 256 colours: one of the cube, or a grey. */
function nearest(red: number, green: number, blue: number): number {
  const levels = [red, green, blue].map(levelOf);
  const cube = levels.map((level) => STEPS[level] ?? 0);
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const ofGrey = 8 + grey * 10;
  const away = ([r = 0, g = 0, b = 0]: readonly number[]) =>
    (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  if (away([ofGrey, ofGrey, ofGrey]) < away(cube)) return 232 + grey;
  const [r = 0, g = 0, b = 0] = levels;
  return 16 + 36 * r + 6 * g + b;
}

function levelOf(value: number): number {
  const distances = STEPS.map((step) => Math.abs(step - value));
  return distances.indexOf(Math.min(...distances));
}
