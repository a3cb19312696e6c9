import type { Line } from '../text/line.js';

/** A question that `y` says yes to, and every other key no. */
export function confirmLine(question: string): Line {
  return [
    { text: `${question} `, bold: true, color: 'yellow' },
    { text: 'y', bold: true },
    { text: ' yes, any other key no', dim: true },
  ];
}
