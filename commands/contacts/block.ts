import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsBlock extends DaemonCommand {
  static override summary = 'Block a person';
  static override description =
    'Messages and calls of the person no longer arrive. The person is not notified.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = {
    clientId: clientIdArg(),
    jid: Args.string({ required: true, description: 'name, +phone, LID digits or the jid of a person' }),
  };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ContactsBlock);
    const client = await this.daemon(flags);
    const answer = await client.blockPerson(args);
    if (!this.jsonEnabled()) this.output.line(`blocked ${args.jid}`);
    return answer;
  }
}
