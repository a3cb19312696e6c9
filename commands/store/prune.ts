import { Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/command.js';
import { CliError } from '../../src/cli/errors.js';
import { type Age, age } from '../../src/cli/flags.js';
import { STORE_FLAGS, withStore } from '../../src/cli/store/access.js';
import type { PruneResult } from '../../src/cli/store/prune.js';
import { counted } from '../../src/cli/text.js';
import type { Store } from '../../src/store/store.js';

export default class StorePrune extends BaseCommand {
  static override summary = 'Delete old messages and their files';
  static override description =
    `Applies to all sessions and cannot be undone. A daemon does the same by its setting --retention-days and by \
switchboard sessions retention. With SQLite, stop the daemon first; with MongoDB it may keep running.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --older-than 90d',
    '<%= config.bin %> <%= command.id %> --older-than 2y --yes --json',
  ];
  static override flags = {
    'older-than': age({ required: true, description: 'minimum age, such as 36h, 90d, 12w or 2y' }),
    yes: Flags.boolean({ char: 'y', description: 'skip the confirmation' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<PruneResult> {
    const { flags } = await this.parse(StorePrune);
    const older = flags['older-than'];
    const before = Date.now() - older.ms;
    if (!flags.yes) await this.#confirm(older, before);
    const { openExistingStore } = await import('../../src/store/open.js');
    const { pruneStore } = await import('../../src/cli/store/prune.js');
    const days = Math.ceil(older.ms / 86_400_000);
    const beside = [
      `let the running daemon do it: switchboard sessions retention CLIENTID ${days}, or its setting --retention-days ${days}`,
    ];
    const prune = (store: Store) => pruneStore(store, before);
    const result = await withStore(flags, this.config.dataDir, openExistingStore, prune, beside);
    if (!this.jsonEnabled()) {
      const { messages, files } = result;
      this.output.line(`deleted ${counted(messages, 'message')} and ${counted(files, 'file')}`);
    }
    return result;
  }

  async #confirm({ text }: Age, before: number): Promise<void> {
    if (this.jsonEnabled())
      throw new CliError('usage', '--json cannot ask for confirmation', { suggestions: ['add --yes'] });
    const { confirm } = await import('../../src/cli/terminal.js');
    const date = new Date(before).toISOString().slice(0, 10);
    await confirm(`Permanently delete all messages and files from before ${date} (older than ${text})?`);
  }
}
