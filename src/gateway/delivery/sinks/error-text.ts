import { plainLine } from '../../../domain/text.js';
import { describeFailure } from '../webhook.js';
import { TEXT_LENGTH } from './process/messages.js';

/** An error of a client as one line of bounded length: it may quote what a broker sent. */
export function quoted(error: unknown): string {
  return shortened(describeFailure(error));
}

/** Foreign text as one line of bounded length. */
export function shortened(text: string): string {
  const line = plainLine(text.slice(0, 2 * TEXT_LENGTH));
  return line.length > TEXT_LENGTH ? `${line.slice(0, TEXT_LENGTH - 1)}…` : line;
}
