import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsUnblock extends DaemonCommand {
  static override summary = 'Unblock a person';
  static override description = 'Messages that the person wrote while blocked do not arrive.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = {
    clientId: clientIdArg(),
    jid: Args.string({ required: true, description: 'name, +phone, LID digits or the jid of a person' }),
  };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ContactsUnblock);
    const client = await this.daemon(flags);
    const answer = await client.unblockPerson(args);
    if (!this.jsonEnabled()) this.output.line(`unblocked ${args.jid}`);
    return answer;
  }
}
