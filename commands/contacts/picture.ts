import { Args, Flags } from '@oclif/core';
import type { ProfilePicture } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsPicture extends DaemonCommand {
  static override summary = "Print the link to a person's or group's profile picture";
  static override description = 'The link is permanent. If there is no visible picture, prints the reason.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --full --refresh',
  ];
  static override args = {
    clientId: clientIdArg(),
    jid: Args.string({
      required: true,
      description: 'name, +phone, LID digits or the jid of a person or group',
    }),
  };
  static override flags = {
    full: Flags.boolean({ description: 'full size instead of the thumbnail' }),
    refresh: Flags.boolean({ description: 'ask WhatsApp even if the picture was looked up within 24 hours' }),
  };

  async run(): Promise<ProfilePicture> {
    const { args, flags } = await this.parse(ContactsPicture);
    const client = await this.daemon(flags);
    const { full = false, refresh = false } = flags;
    const picture = await client.getProfilePicture({ ...args, preview: !full, refresh });
    if (!this.jsonEnabled()) {
      if ('reason' in picture) this.output.note(picture.reason || 'no picture');
      else this.output.line(picture.storedUrl || picture.url);
    }
    return picture;
  }
}
