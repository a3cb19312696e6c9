import { Flags } from '@oclif/core';
import { type Age, age } from '../../src/cli/age.js';
import { BaseCommand } from '../../src/cli/base-command.js';
import { CliError } from '../../src/cli/cli-error.js';
import { STORE_FLAGS, withStore } from '../../src/cli/store-access.js';
import type { PruneResult } from '../../src/cli/store-prune.js';

export default class StorePrune extends BaseCommand {
  static override summary = 'Delete old messages of the history, and their files';
  static override description =
    `Of all sessions, and for good. Unless this is run nothing is ever deleted: run it as
often as your retention asks for. With SQLite the daemon must be stopped, with MongoDB
it may go on running.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --older-than 90d',
    '<%= config.bin %> <%= command.id %> --older-than 2y --yes --json',
  ];
  static override flags = {
    'older-than': age({ required: true, description: 'how old: 36h, 90d, 12w, 2y' }),
    yes: Flags.boolean({ char: 'y', description: 'do not ask' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<PruneResult> {
    const { flags } = await this.parse(StorePrune);
    const older = flags['older-than'];
    const before = Date.now() - older.ms;
    if (!flags.yes) await this.#confirm(older, before);
    const { openExistingStore } = await import('../../src/store/open.js');
    const { pruneStore } = await import('../../src/cli/store-prune.js');
    const result = await withStore(flags, this.config.dataDir, openExistingStore, (store) =>
      pruneStore(store, before),
    );
    if (!this.jsonEnabled()) {
      const { messages, files } = result;
      this.output.line(`deleted ${counted(messages, 'message')} and ${counted(files, 'file')}`);
    }
    return result;
  }

  async #confirm({ text }: Age, before: number): Promise<void> {
    if (this.jsonEnabled())
      throw new CliError('usage', '--json does not ask questions', { suggestions: ['add --yes'] });
    const { confirm } = await import('../../src/cli/confirm.js');
    const date = new Date(before).toISOString().slice(0, 10);
    await confirm(`Delete all messages and files from before ${date} (older than ${text}) for good?`);
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
