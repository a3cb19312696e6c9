import { Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { STORE_FLAGS, withStore } from '../../src/cli/store-access.js';
import type { ExportIndex } from '../../src/cli/store-export.js';

export default class StoreExport extends BaseCommand {
  static override summary = "Write a session's history and files into a folder";
  static override description =
    `One JSON Lines file for each room, the oldest message first, the files in the folder
media, and index.json, which is written last. With SQLite the daemon must be stopped,
with MongoDB it may go on running.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme --to ./acme-export',
    '<%= config.bin %> <%= command.id %> acme --to ./acme-export --json | jq .messages',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    to: Flags.string({ required: true, description: 'a folder that is empty or not there yet' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<ExportIndex> {
    const { args, flags } = await this.parse(StoreExport);
    const { openExistingStore } = await import('../../src/store/open.js');
    const { exportSession } = await import('../../src/cli/store-export.js');
    const { Counted } = await import('../../src/cli/counted.js');
    const counted = new Counted((count) => `${count} messages written`);
    const options = { ...args, to: flags.to, exportedAt: new Date().toISOString(), counted };
    const index = await withStore(flags, this.config.dataDir, openExistingStore, (store) =>
      exportSession(store, options),
    ).finally(() => counted.end());
    if (!this.jsonEnabled()) this.#show(index, flags.to);
    return index;
  }

  #show({ messages, files, missingFiles, rooms }: ExportIndex, to: string): void {
    this.output.line(`${messages} messages of ${rooms.length} rooms and ${files} files are in ${to}`);
    if (missingFiles > 0) this.output.warning(`${missingFiles} files are not stored`);
  }
}
