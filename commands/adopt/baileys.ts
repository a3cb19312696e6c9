import { Args } from '@oclif/core';
import { type AdoptAnswer, AdoptCommand } from '../../src/terminal/cli/adopt/adopt-command.js';

export default class AdoptBaileys extends AdoptCommand {
  static override summary = 'Take over numbers that another program has linked with Baileys';
  static override description =
    `Reads a folder of useMultiFileAuthState, or a folder of such folders. Each becomes a session with the name of its folder, without \
characters other than letters and digits. The numbers need no new pairing, and chats continue. Stop the other program first: WhatsApp \
permits only one connection per link. Writes nothing to the folders.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> ./auth --dry-run',
    '<%= config.bin %> <%= command.id %> ./auth --org workspace1 --webhook https://example.com/hook',
    '<%= config.bin %> <%= command.id %> ./auth --undo',
  ];
  static override args = {
    dir: Args.directory({
      name: 'DIR',
      required: true,
      description: 'folder with creds.json, or of such folders',
    }),
  };

  async run(): Promise<AdoptAnswer> {
    const { args, flags } = await this.parse(AdoptBaileys);
    const { readBaileysFolders } = await import('../../src/terminal/cli/adopt/baileys-folder.js');
    return this.perform(await readBaileysFolders(args.dir), flags);
  }
}
