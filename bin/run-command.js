import { flush, handle, run } from '@oclif/core';

/** What a terminal acts on. */
const UNPRINTABLE = /[^\P{Cc}\n]|\p{Bidi_Control}/gu;

/**
 * Runs the command of the command line. The framework prints the errors of commands that do not exist as they are, with
 * what was typed or pasted: it is cleaned before.
 */
export async function runCommand(loadOptions) {
  try {
    await run(process.argv.slice(2), loadOptions);
    flush();
  } catch (error) {
    if (error instanceof Error) {
      error.message = error.message.replace(UNPRINTABLE, '\ufffd');
      error.stack = error.stack?.replace(UNPRINTABLE, '\ufffd');
    }
    await handle(error);
  }
}
