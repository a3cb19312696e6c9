import { existsSync } from 'node:fs';
import { Args, Flags } from '@oclif/core';
import type { BackupContents } from '../../src/gateway/store/open.js';
import { contentsInWords, STORE_FLAGS, type StorePlace, withStore } from '../../src/local/store/access.js';
import { ofAnotherKey, storeText } from '../../src/local/store/backup.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { columns } from '../../src/terminal/cli/output.js';
import { counted } from '../../src/terminal/cli/text.js';

export default class StoreRestore extends BaseCommand {
  static override summary = 'Restore a backup into an empty store';
  static override description =
    `Checks the whole backup first, and writes nothing if it is damaged. The store must have no sessions, and no daemon may use it. A \
damaged SQLite database is kept under another name. The store may be of another kind than the backup: --store names it. Needs the \
encryption key that the store had when the backup was made. After an interruption, run the command again: until it completes, no daemon \
starts on the store. Stop the original daemon before you start one on the restored store: only one of them can connect.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> switchboard.backup --dry-run --data-dir /var/lib/switchboard',
    '<%= config.bin %> <%= command.id %> switchboard.backup --data-dir /var/lib/switchboard',
    '<%= config.bin %> <%= command.id %> switchboard.backup --store mongodb://127.0.0.1/switchboard',
  ];
  static override args = {
    path: Args.string({ required: true, description: 'file of `switchboard store backup`' }),
  };
  static override flags = {
    'dry-run': Flags.boolean({ description: 'check the backup and show its contents; write nothing' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<object> {
    const { args, flags } = await this.parse(StoreRestore);
    const { path } = args;
    const isDryRun = Boolean(flags['dry-run']);
    if (!existsSync(path)) throw new CliError('not_found', `there is no file ${path}`);
    const { checkBackup, openRestore } = await import('../../src/gateway/store/open.js');
    const { CountLine } = await import('../../src/terminal/cli/progress.js');
    const counted = new CountLine((count) => `${count} records restored`);
    const check = async (place: StorePlace) => ({
      ...(await checkBackup(path, place.encryptionKey).catch((error: unknown) => {
        throw ofAnotherKey(error, path);
      })),
      open: () => openRestore(place),
      close: async () => undefined,
    });
    const { contents } = await withStore(flags, this.config.dataDir, check, async (backup) => {
      if (isDryRun) return backup;
      const store = await backup.open();
      if (store.setAside) this.output.note(`the damaged database is kept as ${store.setAside}`);
      try {
        await store.restore(backup, counted);
        return backup;
      } finally {
        await store.close();
      }
    }).finally(() => counted.end());
    if (!this.jsonEnabled()) await this.#show(contents, isDryRun);
    return { ...contents, restored: !isDryRun };
  }

  async #show(
    { sessions, messages, files, createdAt, release, ...from }: BackupContents,
    isDryRun: boolean,
  ): Promise<void> {
    const counts = contentsInWords({ sessions, messages, files });
    if (!isDryRun) {
      this.output.line(`${counts} are restored, as of ${createdAt}`);
      this.output.note('stop the original daemon before you start one here: only one of them can connect');
      return;
    }
    this.output.line(`backup of ${createdAt}, of ${storeText(from)}, release ${release}: ${counts}`);
    const rows = sessions.map(({ clientId, pn, status, ...has }) => [
      ...[clientId, pn && `+${pn}`, status, counted(has.messages, 'message'), counted(has.files, 'file')],
    ]);
    for (const line of await columns(rows)) this.output.line(line);
  }
}
