import { Flags } from '@oclif/core';
import type { Answer, HeldMessage } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

const DEFAULT_LIMIT = 100;
const MOST = 1_000;

export default class OutboxList extends DaemonCommand {
  static override summary = 'List messages that wait until their policy allows them';
  static override description =
    'Lists messages that were sent with --when-allowed and refused by the policy, oldest first. They are sent when the policy allows \
them, and given up after 7 days.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    "<%= config.bin %> <%= command.id %> acme --json | jq -r '.messages[].messageId'",
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    limit: Flags.integer({
      description: 'maximum number of messages',
      default: DEFAULT_LIMIT,
      min: 1,
      max: MOST,
    }),
    after: Flags.string({ description: 'continue after this message, shown at the end of a page' }),
  };

  async run(): Promise<Answer<'listOutbox'>> {
    const { args, flags } = await this.parse(OutboxList);
    const client = await this.daemon(flags);
    const { limit, after } = flags;
    const page = await client.listOutbox({ ...args, limit, after });
    if (this.jsonEnabled()) return page;
    if (page.messages.length === 0) this.output.note('no message waits');
    else await this.output.table(['MESSAGE', 'TO', 'RULE', 'ALLOWED AT'], page.messages.map(rowOf));
    if (page.next) this.output.note(`more: --after ${page.next}`);
    return page;
  }
}

function rowOf({ messageId, to, rule, allowedAt, leaving }: HeldMessage): string[] {
  return [messageId, to, rule, leaving ? 'leaving now' : allowedAt];
}
