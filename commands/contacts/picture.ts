import { Args, Flags } from '@oclif/core';
import { type PictureDetails, showPicture } from '../../src/cli/contacts.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';

export default class ContactsPicture extends DaemonCommand {
  static override summary = "Show where somebody's profile picture is";
  static override description = 'Prints its permanent link; a note says why where there is none to be seen.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --full --refresh',
  ];
  static override args = {
    clientId: clientIdArg(),
    jid: Args.string({ required: true, description: '+phone, LID digits or the jid of a person or group' }),
  };
  static override flags = {
    full: Flags.boolean({ description: 'in full size, not the thumbnail' }),
    refresh: Flags.boolean({ description: 'ask the network, also when it was asked within 24 hours' }),
  };

  async run(): Promise<PictureDetails> {
    const { args, flags } = await this.parse(ContactsPicture);
    const query = { ...args, full: flags.full ?? false, refresh: flags.refresh ?? false };
    const picture = await showPicture(await this.daemon(flags), query);
    if (!this.jsonEnabled()) {
      if (picture.url) this.output.line(picture.storedUrl || picture.url);
      else this.output.note(picture.reason || 'no picture');
    }
    return picture;
  }
}
