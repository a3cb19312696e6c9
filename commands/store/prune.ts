import { Flags } from '@oclif/core';
import type { Store } from '../../src/gateway/store/store.js';
import { STORE_FLAGS, withStore } from '../../src/local/store/access.js';
import type { PruneResult } from '../../src/local/store/prune.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { type Age, age } from '../../src/terminal/cli/flags.js';
import { counted } from '../../src/terminal/cli/text.js';

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
    if (!flags.yes) await this.confirm(questionOf(older, before));
    const { openExistingStore } = await import('../../src/gateway/store/open.js');
    const { pruneStore } = await import('../../src/local/store/prune.js');
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
}

function questionOf({ text }: Age, before: number): string {
  const date = new Date(before).toISOString().slice(0, 10);
  return `Permanently delete all messages and files from before ${date} (older than ${text})?`;
}
