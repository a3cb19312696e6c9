import type { OwnProfile } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { timerName } from '../../src/terminal/cli/timer.js';

export default class ProfileShow extends DaemonCommand {
  static override summary = 'Show the profile of a linked number';
  static override description =
    'Asks WhatsApp for name, text, version of the picture, and the timer of disappearing messages in new chats.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme'];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<OwnProfile> {
    const { args, flags } = await this.parse(ProfileShow);
    const client = await this.daemon(flags);
    const profile = await client.getProfile(args);
    const { name, about, disappearingSeconds, ...rest } = profile;
    if (!this.jsonEnabled())
      this.output.fields({
        name: plainLine(name),
        about: plainLine(about),
        phone: rest.phone,
        jid: rest.jid,
        picture: rest.pictureId || 'none',
        disappearing: timerName(disappearingSeconds),
      });
    return profile;
  }
}
