import { Args } from '@oclif/core';
import type { OwnerLid } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsLid extends DaemonCommand {
  static override summary = "Look up a number's jid and LID, and whether it is on WhatsApp";
  static override description =
    `Without a number, shows the session's own addresses. Exits with 5 if the number is not on WhatsApp. \
Look up numbers one by one when you need them: WhatsApp treats bulk lookups as abuse.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme +15550000002 --json | jq -r .numberLid',
  ];
  static override args = {
    clientId: clientIdArg(),
    number: Args.string({ description: 'phone number with country code' }),
  };

  async run(): Promise<OwnerLid> {
    const { args, flags } = await this.parse(ContactsLid);
    const client = await this.daemon(flags);
    const found = await client.checkOwnerLid({ clientId: args.clientId, number: args.number ?? '' });
    if (args.number !== undefined && !found.isOnWhatsApp) process.exitCode = EXIT_CODES.not_found;
    if (!this.jsonEnabled()) this.show(found, args.number);
    return found;
  }

  private show({ myJid, myLid, isOnWhatsApp, numberJid, numberLid, username }: OwnerLid, number?: string) {
    if (number === undefined) this.output.fields({ jid: myJid, lid: myLid });
    else if (isOnWhatsApp) this.output.fields({ jid: numberJid, lid: numberLid, username });
    else this.output.note(`${number} is not on the network`);
  }
}
