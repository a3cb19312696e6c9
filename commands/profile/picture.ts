import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { pictureArg, removeFlag, setPicture } from '../../src/terminal/cli/picture.js';

export default class ProfilePicture extends DaemonCommand {
  static override summary = 'Set or remove the picture of a linked number';
  static override description = 'The picture becomes a square of 640 pixels, cut from the middle.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme logo.png',
    '<%= config.bin %> <%= command.id %> acme https://example.com/logo.png',
    '<%= config.bin %> <%= command.id %> acme --remove',
  ];
  static override args = { clientId: clientIdArg(), source: pictureArg() };
  static override flags = { remove: removeFlag() };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ProfilePicture);
    const { clientId, source } = args;
    const client = await this.daemon(flags);
    await setPicture(client, '/set-profile-picture', { clientId }, { source, remove: flags.remove });
    if (!this.jsonEnabled())
      this.output.line(`${flags.remove ? 'removed' : 'set'} the picture of ${clientId}`);
    return { ok: true };
  }
}
