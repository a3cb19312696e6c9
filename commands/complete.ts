import { complete } from '../src/cli/completion/complete.js';
import { grammarOf } from '../src/cli/completion/grammar.js';
import { FILES } from '../src/cli/completion/scripts.js';
import { daemonIn, sessionNames } from '../src/cli/completion/session-names.js';
import { DaemonCommand } from '../src/cli/daemon-command.js';

/** Milliseconds that the daemon may take to name its sessions: somebody waits at the keyboard. */
const ANSWER_MS = 2_000;

export default class Complete extends DaemonCommand {
  static override hidden = true;
  static override strict = false;
  static override summary = 'Tell how a command line may go on, for the script of `switchboard completion`';
  static override description =
    'Takes the words after `switchboard` behind `--`; prints a candidate on each line, with its meaning behind a tab.';
  static override examples = ['<%= config.bin %> <%= command.id %> -- sessions sh'];

  async run(): Promise<{ candidates: string[] }> {
    const { flags } = await this.parse(Complete);
    // as it was typed: the parser drops every --
    const words = this.argv.slice(this.argv.indexOf('--') + 1);
    const { candidates, also } = complete(grammarOf(this.config), words);
    const lines = candidates.map(({ text, description }) => (description ? `${text}\t${description}` : text));
    if (also === 'file') lines.push(FILES);
    if (also === 'session') {
      const client = await this.daemon({ ...flags, ...daemonIn(words) }, AbortSignal.timeout(ANSWER_MS));
      lines.push(...(await sessionNames(client, words)));
    }
    if (!this.jsonEnabled()) for (const line of lines) this.output.line(line);
    return { candidates: lines };
  }
}
