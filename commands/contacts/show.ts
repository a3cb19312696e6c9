import { Args } from '@oclif/core';
import { type ContactDetails, showContact } from '../../src/cli/contacts.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { plainLine } from '../../src/cli/plain-text.js';

export default class ContactsShow extends DaemonCommand {
  static override summary = 'Show who a person is';
  static override description =
    'Asks the network: their address, what they say of themselves, and how many devices they use.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme 90000000000002 --json | jq -r .jid',
  ];
  static override args = {
    clientId: clientIdArg(),
    person: Args.string({ required: true, description: '+phone, LID digits or a full jid' }),
  };

  async run(): Promise<ContactDetails> {
    const { args, flags } = await this.parse(ContactsShow);
    const contact = await showContact(await this.daemon(flags), args.clientId, args.person);
    if (!this.jsonEnabled()) {
      this.output.fields({
        jid: contact.jid,
        username: contact.username,
        business: plainLine(contact.verifiedName),
        status: plainLine(contact.status),
        picture: contact.pictureId,
        devices: String(contact.devices),
      });
    }
    return contact;
  }
}
