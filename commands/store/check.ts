import { Flags } from '@oclif/core';
import { placeOf, requireUndamaged, STORE_FLAGS, withStore } from '../../src/local/store/access.js';
import type { CheckResult } from '../../src/local/store/check.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';

export default class StoreCheck extends BaseCommand {
  static override summary = 'Check the store for inconsistencies, and repair them';
  static override description =
    `Looks for damage in the whole database file of SQLite; MongoDB checks its files itself. Then finds files without a message or without bytes, messages whose file is missing, and rooms with a wrong \
last message or unread count. Exits with 1 if it finds problems and does not repair them. \
With SQLite, stop the daemon first; with MongoDB it may keep running.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --repair --json',
  ];
  static override flags = {
    repair: Flags.boolean({ description: 'delete orphans and correct the rest' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<CheckResult> {
    const { flags } = await this.parse(StoreCheck);
    const { findStoreDamage, openExistingStore } = await import('../../src/gateway/store/open.js');
    const { countFaults, StoreCheck: Check } = await import('../../src/local/store/check.js');
    const { CountLine } = await import('../../src/terminal/cli/progress.js');
    const counted = new CountLine((count) => `checked ${count} files, messages and rooms`);
    const options = { repair: Boolean(flags.repair), counted };
    const place = await placeOf(flags, this.config.dataDir);
    await requireUndamaged(() => findStoreDamage(place));
    const result = await withStore(flags, this.config.dataDir, openExistingStore, (store) =>
      new Check(store, options).run(),
    ).finally(() => counted.end());
    const faults = countFaults(result);
    if (faults > 0 && !flags.repair) process.exitCode = EXIT_CODES.failure;
    if (!this.jsonEnabled()) this.#show(result, faults);
    return result;
  }

  #show(result: CheckResult, faults: number): void {
    for (const [fault, what] of WORDS) {
      if (result[fault] > 0) this.output.line(`${result[fault]} × ${what}`);
    }
    if (faults === 0) this.output.line('no problems found');
    else if (result.repaired) this.output.line(`${faults} repaired`);
    else this.output.note(`repair ${faults === 1 ? 'it' : 'them'}: switchboard store check --repair`);
  }
}

const WORDS = [
  ['bytesWithoutFile', 'stored bytes without a file'],
  ['filesWithoutBytes', 'file without its bytes'],
  ['filesWithoutMessage', 'file without its message'],
  ['messagesWithoutFile', 'message without its file'],
  ['wrongRooms', 'room with a wrong last message or unread count'],
  ['staleChanges', 'change of a message that never arrived'],
] as const;
