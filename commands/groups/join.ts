import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { inviteArgs } from '../../src/terminal/cli/flags.js';

export default class GroupsJoin extends DaemonCommand {
  static override summary = 'Join a group by its invite';
  static override description =
    'If an admin has to approve, sends a request to join. `switchboard groups preview` shows the group before.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv',
  ];
  static override args = inviteArgs();

  async run(): Promise<{ groupJid: string; joined: boolean }> {
    const { args, flags } = await this.parse(GroupsJoin);
    const client = await this.daemon(flags);
    const answer = await client.joinGroup(args);
    const { groupJid, joined } = answer;
    if (!this.jsonEnabled())
      this.output.line(joined ? `joined ${groupJid}` : `asked to join ${groupJid}: an admin has to approve`);
    return answer;
  }
}
