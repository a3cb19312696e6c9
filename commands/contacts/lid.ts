import { Args } from '@oclif/core';
import { type LidDetails, lookUpLid } from '../../src/cli/contacts.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { EXIT_CODES } from '../../src/cli/exit-code.js';
import { clientIdArg } from '../../src/cli/flags.js';

export default class ContactsLid extends DaemonCommand {
  static override summary = "Show a number's addresses: whether it is on the network, and its LID";
  static override description =
    `Without a number it shows those of the session. Ends with 5 when the number is not on the network. Ask for
numbers as you need them: the network takes asking for many as a sign of abuse.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme +15550000002 --json | jq -r .numberLid',
  ];
  static override args = {
    clientId: clientIdArg(),
    number: Args.string({ description: 'a phone number with its country code' }),
  };

  async run(): Promise<LidDetails> {
    const { args, flags } = await this.parse(ContactsLid);
    const found = await lookUpLid(await this.daemon(flags), args.clientId, args.number ?? '');
    if (args.number !== undefined && !found.isOnWhatsApp) process.exitCode = EXIT_CODES.not_found;
    if (!this.jsonEnabled()) this.show(found, args.number);
    return found;
  }

  private show({ myJid, myLid, isOnWhatsApp, numberJid, numberLid, username }: LidDetails, number?: string) {
    if (number === undefined) this.output.fields({ jid: myJid, lid: myLid });
    else if (isOnWhatsApp) this.output.fields({ jid: numberJid, lid: numberLid, username });
    else this.output.note(`${number} is not on the network`);
  }
}
