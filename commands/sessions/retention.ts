import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/command.js';
import { CliError } from '../../src/cli/errors.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { retentionText } from '../../src/cli/sessions.js';

/** Words in place of a number of days. */
const WORDS: Readonly<Record<string, number | null>> = { forever: 0, default: null };

export default class SessionsRetention extends DaemonCommand {
  static override summary = 'Set how long messages and files of a session are kept';
  static override description =
    `The daemon deletes older messages and their files once an hour; rooms stay. Without a rule of its own, a session follows the \
setting --retention-days of the daemon, which keeps everything for ever by default.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 90',
    '<%= config.bin %> <%= command.id %> acme forever',
    '<%= config.bin %> <%= command.id %> acme default --json',
  ];
  static override args = {
    clientId: clientIdArg(),
    days: Args.string({ required: true, description: 'number of days; or forever, or default' }),
  };

  async run(): Promise<{ clientId: string; days: number | null }> {
    const { args, flags } = await this.parse(SessionsRetention);
    const client = await this.daemon(flags);
    const answer = await client.setRetention({ clientId: args.clientId, days: daysOf(args.days) });
    const { clientId, days } = answer;
    if (!this.jsonEnabled())
      this.output.line(`messages and files of ${clientId} are kept ${retentionText(days)}`);
    return { clientId, days };
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
