import { Flags } from '@oclif/core';
import { STORE_FLAGS, withStore } from '../../src/local/store/access.js';
import type { ExportIndex } from '../../src/local/store/export.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class StoreExport extends BaseCommand {
  static override summary = "Export a session's history and files to a folder";
  static override description =
    `Writes one JSON Lines file per room, oldest message first, the files to the folder media, and \
index.json at the end. With SQLite, stop the daemon first; with MongoDB it may keep running.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme --to ./acme-export',
    '<%= config.bin %> <%= command.id %> acme --to ./acme-export --json | jq .messages',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    to: Flags.string({ required: true, description: 'target folder; must be empty or not exist' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<ExportIndex> {
    const { args, flags } = await this.parse(StoreExport);
    const { openExistingStore } = await import('../../src/gateway/store/open.js');
    const { exportSession } = await import('../../src/local/store/export.js');
    const { CountLine } = await import('../../src/terminal/cli/progress.js');
    const counted = new CountLine((count) => `${count} messages written`);
    const options = { ...args, to: flags.to, exportedAt: new Date().toISOString(), counted };
    const index = await withStore(flags, this.config.dataDir, openExistingStore, (store) =>
      exportSession(store, options),
    ).finally(() => counted.end());
    if (!this.jsonEnabled()) this.#show(index, flags.to);
    return index;
  }

  #show({ messages, files, missingFiles, rooms }: ExportIndex, to: string): void {
    this.output.line(`${messages} messages of ${rooms.length} rooms and ${files} files are in ${to}`);
    if (missingFiles > 0) this.output.warning(`${missingFiles} files are missing in the store`);
  }
}
