import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';

export default class SendContact extends SendCommand {
  static override summary = 'Send a contact card';
  static override description = 'Give a name and a phone number, or a whole vCard.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Carol" --phone 15550000003',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Carol" --vcard - < carol.vcf',
  ];
  static override args = {
    ...recipientArgs(),
    name: Args.string({ required: true, description: 'name on the card' }),
  };
  static override flags = {
    phone: Flags.string({ description: 'phone number with country code', exactlyOne: ['phone', 'vcard'] }),
    vcard: Flags.string({ description: 'whole vCard 3.0; - reads standard input' }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendContact);
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const { clientId, to, name: displayName } = args;
    const card = {
      phone: flags.phone?.replace(/\D/g, ''),
      vcard: flags.vcard === undefined ? undefined : await readArgument(flags.vcard),
    };
    const request = { clientId, to, displayName, ...card, ...envelopeOf(flags) };
    return this.send(flags, (client, options) => client.sendContact(request, options));
  }
}
