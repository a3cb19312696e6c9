import type { GroupInvite } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { inviteArgs } from '../../src/terminal/cli/flags.js';

export default class GroupsPreview extends DaemonCommand {
  static override summary = 'Show the group of an invite, without joining it';
  static override description = 'The members of the group are not notified.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv',
  ];
  static override args = inviteArgs();

  async run(): Promise<GroupInvite> {
    const { args, flags } = await this.parse(GroupsPreview);
    const client = await this.daemon(flags);
    const { group } = await client.getGroupInvite(args);
    if (!this.jsonEnabled())
      this.output.fields({
        group: plainLine(group.name),
        jid: group.jid,
        topic: plainLine(group.topic),
        members: String(group.participants),
        joining: group.joinApproval ? 'an admin has to approve' : 'at once',
        created: group.createdAt,
      });
    return group;
  }
}
