import { Flags } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ContactsRefreshAvatars extends DaemonCommand {
  static override summary = 'Fetch the pictures of the rooms of a hosted inbox';
  static override description = 'Checks about seven rooms a second and exits after the last one.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --force --json',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    force: Flags.boolean({ description: 'also check rooms that already have a picture' }),
  };

  async run(): Promise<Answer<'refreshAvatars'>> {
    const { args, flags } = await this.parse(ContactsRefreshAvatars);
    const client = await this.daemon(flags);
    const counts = await client.refreshAvatars({ clientId: args.clientId, force: flags.force ?? false });
    if (!this.jsonEnabled()) {
      const { rooms, updated, skipped, noPhoto, failed } = counts;
      this.output.line(
        `${rooms} rooms: ${updated} updated, ${skipped} skipped, ${noPhoto} without a picture, ${failed} failed`,
      );
    }
    return counts;
  }
}
