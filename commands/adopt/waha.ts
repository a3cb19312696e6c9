import { Args } from '@oclif/core';
import { type AdoptAnswer, AdoptCommand } from '../../src/terminal/cli/adopt/adopt-command.js';

export default class AdoptWaha extends AdoptCommand {
  static override summary = 'Take over the numbers of WAHA (engine NOWEB)';
  static override description =
    `Reads the folder of sessions of WAHA, with the first webhook of each session. Sessions of other engines cannot be taken over, because \
they use browsers or another protocol library. Stop WAHA first: WhatsApp permits only one connection per link. Writes nothing to the \
folder.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> ./.sessions --dry-run',
    '<%= config.bin %> <%= command.id %> ./.sessions',
  ];
  static override args = {
    dir: Args.directory({ name: 'DIR', required: true, description: 'folder with the folder noweb' }),
  };

  async run(): Promise<AdoptAnswer> {
    const { args, flags } = await this.parse(AdoptWaha);
    const { readWahaFolders } = await import('../../src/terminal/cli/adopt/waha-folder.js');
    return this.perform(await readWahaFolders(args.dir), flags);
  }
}
