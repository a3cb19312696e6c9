import { existsSync } from 'node:fs';
import { Args } from '@oclif/core';
import { BaseCommand } from '../../src/cli/command.js';
import { CliError } from '../../src/cli/errors.js';
import { contentsInWords, STORE_FLAGS, withStore } from '../../src/cli/store/access.js';

export default class StoreBackup extends BaseCommand {
  static override summary = 'Write a backup of the store to a file';
  static override description =
    `The daemon may keep running. The backup has all sessions, their messages and files, so that they can be restored without \
pairing: into SQLite or MongoDB. Its secrets stay encrypted: it can be restored with the encryption key of the store only, so \
keep a copy of that key elsewhere.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/switchboard.backup',
    '<%= config.bin %> <%= command.id %> "switchboard-$(date +%F).backup" --json',
  ];
  static override args = {
    path: Args.string({ required: true, description: 'file to write; must not exist' }),
  };
  static override flags = { ...STORE_FLAGS };

  async run(): Promise<object> {
    const { args, flags } = await this.parse(StoreBackup);
    const { path } = args;
    if (existsSync(path)) {
      throw new CliError('conflict', `${path} exists already`, { suggestions: ['choose another file'] });
    }
    const { openBackup } = await import('../../src/store/open.js');
    const { CountLine } = await import('../../src/cli/progress.js');
    const counted = new CountLine((count) => `${count} records written`);
    const options = { path, createdAt: new Date().toISOString(), release: this.config.version, counted };
    const { sessions, ...rest } = await withStore(flags, this.config.dataDir, openBackup, (store) =>
      store.write(options),
    ).finally(() => counted.end());
    const { messages, files, missingFiles } = rest;
    if (missingFiles > 0) this.output.warning(`the bytes of ${missingFiles} files are missing in the store`);
    if (!this.jsonEnabled())
      this.output.line(`${contentsInWords({ sessions, messages, files })} are in ${path}`);
    return { path, ...rest, sessions: sessions.length };
  }
}
