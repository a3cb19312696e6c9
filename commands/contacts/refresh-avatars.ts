import { Flags } from '@oclif/core';
import { type AvatarCounts, refreshAvatars } from '../../src/cli/contacts.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';

export default class ContactsRefreshAvatars extends DaemonCommand {
  static override summary = 'Give the rooms of a hosted inbox their pictures';
  static override description = 'Looks at about seven rooms a second, and ends when it is through with all.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --force --json',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    force: Flags.boolean({ description: 'also look at rooms that have a picture' }),
  };

  async run(): Promise<AvatarCounts> {
    const { args, flags } = await this.parse(ContactsRefreshAvatars);
    const counts = await refreshAvatars(await this.daemon(flags), args.clientId, flags.force ?? false);
    if (!this.jsonEnabled()) {
      const { rooms, updated, skipped, noPhoto, failed } = counts;
      this.output.line(
        `${rooms} rooms: ${updated} new, ${skipped} had one, ${noPhoto} without, ${failed} failed`,
      );
    }
    return counts;
  }
}
