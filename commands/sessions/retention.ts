import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { retentionText } from '../../src/terminal/cli/sessions.js';

/** Words in place of a number of days. */
const WORDS: Readonly<Record<string, number | null>> = { forever: 0, default: null };

export default class SessionsRetention extends DaemonCommand {
  static override summary = 'Set how long messages, files and events of a session are kept';
  static override description =
    `The daemon deletes older messages and their files once an hour; rooms stay. Without a value of its own, a session follows the \
daemon's setting --retention-days, which by default deletes nothing. With --keep-events, the daemon keeps the events of the session for \
that many days, up to 256 MB, so that "switchboard replay" can send them again. 0 keeps none, and removes those that are kept.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 90',
    '<%= config.bin %> <%= command.id %> acme forever',
    '<%= config.bin %> <%= command.id %> acme default --json',
    '<%= config.bin %> <%= command.id %> acme --keep-events 7',
  ];
  static override args = {
    clientId: clientIdArg(),
    days: Args.string({ description: 'number of days for messages and files; or forever, or default' }),
  };
  static override flags = {
    'keep-events': Flags.integer({
      description: 'days for which events are kept for `switchboard replay`: 0 to 30',
      min: 0,
      max: 30,
    }),
  };

  async run(): Promise<{ clientId: string; days: number | null; keepEvents?: number }> {
    const { args, flags } = await this.parse(SessionsRetention);
    const keep = {
      ...(args.days !== undefined && { days: daysOf(args.days) }),
      ...(flags['keep-events'] !== undefined && { keepEvents: flags['keep-events'] }),
    };
    if (Object.keys(keep).length === 0)
      throw new CliError('usage', 'give a number of days, or --keep-events');
    const client = await this.daemon(flags);
    const { ok: _, ...answer } = await client.setRetention({ clientId: args.clientId, ...keep });
    if (!this.jsonEnabled()) {
      const { clientId, days, keepEvents } = answer;
      this.output.line(`messages and files of ${clientId} are kept ${retentionText(days)}`);
      if (flags['keep-events'] !== undefined) {
        const kept = keepEvents ? `are kept ${retentionText(keepEvents)}` : 'are not kept';
        this.output.line(`events of ${clientId} ${kept}`);
      }
    }
    return answer;
  }
}

function daysOf(text: string): number | null {
  const word = WORDS[text];
  if (word !== undefined) return word;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new CliError('usage', `${text} is not a number of days`, {
    suggestions: ['name days, such as 90', 'or forever, or default'],
  });
}
