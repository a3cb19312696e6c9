import { createInterface } from 'node:readline/promises';
import { CliError } from './cli-error.js';

/**
 * Asks a yes-or-no question on the terminal; anything but yes means no.
 * @throws CliError `usage` where nobody can answer, `interrupted` when the answer is no.
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new CliError('usage', 'this needs a confirmation and there is no terminal to ask on', {
      suggestions: ['add --yes'],
    });
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    prompt.once('close', () => resolve(''));
    void prompt.question(`${question} [y/N] `).then(resolve);
  });
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('failure', 'nothing was changed');
}
