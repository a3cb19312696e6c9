import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';
import { pictureArg, removeFlag, setPicture } from '../../src/terminal/cli/picture.js';

export default class GroupsPicture extends DaemonCommand {
  static override summary = 'Set or remove the picture of a group';
  static override description =
    'The picture becomes a square of 640 pixels, cut from the middle. Needs admin rights in a locked group.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us logo.png',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --remove',
  ];
  static override args = { ...groupArgs(), source: pictureArg() };
  static override flags = { remove: removeFlag() };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(GroupsPicture);
    const { clientId, groupJid, source } = args;
    const client = await this.daemon(flags);
    await setPicture(client, '/set-group-picture', { clientId, groupJid }, { source, remove: flags.remove });
    if (!this.jsonEnabled())
      this.output.line(`${flags.remove ? 'removed' : 'set'} the picture of ${groupJid}`);
    return { ok: true };
  }
}
