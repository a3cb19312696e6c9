import qrcode from 'qrcode-terminal';

/** A QR as lines of half blocks, and the room that it takes. */
export interface QrText {
  lines: readonly string[];
  columns: number;
  rows: number;
}

/** Draws a text as a QR: light modules are drawn, dark ones left out. A pairing QR takes 59 columns and 30 rows. */
export function qrText(text: string): QrText {
  let drawn = '';
  // the callback is called before `generate` returns
  qrcode.generate(text, { small: true }, (result) => {
    drawn = result;
  });
  const lines = drawn.split('\n').filter((line) => line !== '');
  return { lines, columns: Math.max(...lines.map((line) => line.length)), rows: lines.length };
}
