import { Flags } from '@oclif/core';
import type { DaemonClient } from '../src/terminal/cli/client.js';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import {
  chatNames,
  complete,
  daemonIn,
  grammarOf,
  sessionNames,
} from '../src/terminal/cli/completion/complete.js';
import { FILES } from '../src/terminal/cli/completion/scripts.js';
import { contextsPath, readContexts } from '../src/terminal/cli/contexts.js';

/** Timeout in milliseconds for the names of sessions, short because a person waits at the keyboard. */
const ANSWER_MS = 2_000;

export default class Complete extends DaemonCommand {
  static override hidden = true;
  static override strict = false;
  static override summary = 'Print completions of a command line, for the script of `switchboard completion`';
  static override description =
    'Takes the words after `switchboard` behind `--`. Prints one candidate per line: the word, a tab, its description.';
  static override examples = ['<%= config.bin %> <%= command.id %> -- sessions sh'];

  static override flags = {
    escape: Flags.boolean({ description: 'escape names for bash, which inserts candidates unchanged' }),
  };

  async run(): Promise<{ candidates: string[] }> {
    const { flags } = await this.parse(Complete);
    // the raw arguments, because the parser drops every --
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    const { candidates, also, clientId } = complete(grammarOf(this.config), words);
    const lines = candidates.map(({ text, description }) => (description ? `${text}\t${description}` : text));
    if (also === 'file') lines.push(FILES);
    if (also === 'session') {
      const client = await this.daemonOf(words);
      lines.push(...(await sessionNames(client, words)));
    }
    if (also === 'context') {
      const { contexts } = await readContexts(contextsPath(this.config.configDir));
      lines.push(...Object.keys(contexts).filter((name) => name.startsWith(words.at(-1) ?? '')));
    }
    if (clientId !== undefined && (also === 'chat' || also === 'group' || also === 'person')) {
      const client = await this.daemonOf(words);
      const chats = await chatNames(client, { clientId, kind: also }, words);
      const shown = flags.escape ? inBash(words.at(-1) ?? '') : (text: string) => [text];
      lines.push(
        ...chats.flatMap(({ text, description }) => shown(text).map((typed) => `${typed}\t${description}`)),
      );
    }
    if (!this.jsonEnabled() && lines.length > 0) this.output.block(lines.join('\n'));
    return { candidates: lines };
  }

  /**
   * The daemon of the command line that is being completed, chosen by the same rules as for the command, so that each
   * token goes only to its daemon.
   */
  private async daemonOf(words: readonly string[]): Promise<DaemonClient> {
    const typed = Object.entries(daemonIn(words)).map(([name, value]) => `--${name}=${value}`);
    const { flags } = await this.parse(Complete, typed);
    return this.daemon(flags, AbortSignal.timeout(ANSWER_MS));
  }
}

/**
 * Makes names safe for a command line of bash, because strangers choose them: escapes what bash acts on. In quotes this is
 * not possible in all cases, so names with a character that may act there are left out.
 */
function inBash(current: string): (text: string) => string[] {
  if (/^["']/.test(current)) return (text) => (/["'`$\\!]/.test(text) ? [] : [text]);
  return (text) => [text.replace(/[\s"'`$\\!&;|<>()[\]{}*?#~]/g, '\\$&')];
}
