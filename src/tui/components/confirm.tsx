import { usePresses } from '../hooks/use-presses.js';
import type { Line } from '../text/line.js';
import { Lines } from './lines.js';

/** A question that `y` says yes to, and every other key no. */
export function Confirm({ question, onAnswer }: { question: string; onAnswer(yes: boolean): void }) {
  usePresses((press) => onAnswer(press.type === 'text' && /^y$/i.test(press.text)));
  return <Lines lines={[confirmLine(question)]} />;
}

/** The question as a line. */
export function confirmLine(question: string): Line {
  return [
    { text: `${question} `, bold: true, color: 'yellow' },
    { text: 'y', bold: true },
    { text: ' yes, any other key no', dim: true },
  ];
}
