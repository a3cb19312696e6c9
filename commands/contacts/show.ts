import { Args } from '@oclif/core';
import type { UserInfo } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsShow extends DaemonCommand {
  static override summary = 'Show the profile of a person';
  static override description =
    `Shows name and number, if they are known, and asks WhatsApp for jid, username, business name, status text, \
picture and number of devices.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme 90000000000002 --json | jq -r .jid',
  ];
  static override args = {
    clientId: clientIdArg(),
    person: Args.string({ required: true, description: 'name, +phone, LID digits or a full jid' }),
  };

  async run(): Promise<UserInfo> {
    const { args, flags } = await this.parse(ContactsShow);
    const client = await this.daemon(flags);
    const contact = await client.getUserInfo({
      clientId: args.clientId,
      jid: args.person,
      withContact: true,
    });
    if (!this.jsonEnabled()) {
      this.output.fields({
        name: plainLine(contact.displayName ?? ''),
        number: contact.phone ?? '',
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
