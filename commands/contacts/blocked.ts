import type { BlockedPerson } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsBlocked extends DaemonCommand {
  static override summary = 'List the people whom a number blocks';
  static override description =
    'Asks WhatsApp, so the list includes people whom other devices of the account have blocked.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r ".[].jid"',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<BlockedPerson[]> {
    const { args, flags } = await this.parse(ContactsBlocked);
    const client = await this.daemon(flags);
    const { blocked } = await client.listBlocked(args);
    if (!this.jsonEnabled()) await this.show(blocked);
    return blocked;
  }

  private async show(blocked: readonly BlockedPerson[]): Promise<void> {
    if (blocked.length === 0) return this.output.note('nobody is blocked');
    const rows = blocked.map(({ displayName, phone, jid }) => [plainLine(displayName), phone, jid]);
    await this.output.table(['NAME', 'PHONE', 'JID'], rows);
  }
}
