import { Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { EXIT_CODES } from '../../src/cli/exit-code.js';
import { STORE_FLAGS, withStore } from '../../src/cli/store-access.js';
import type { CheckResult } from '../../src/cli/store-check.js';

export default class StoreCheck extends BaseCommand {
  static override summary = 'Find what does not belong together in the store, and put it right';
  static override description =
    `Looks for files without their message or their bytes, messages whose file is gone, and
rooms that show something else than their last message. Ends with 1 when something is
wrong and is not repaired. With SQLite the daemon must be stopped, with MongoDB it may go
on running.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --repair --json',
  ];
  static override flags = {
    repair: Flags.boolean({ description: 'delete what belongs to nothing, and correct the rest' }),
    ...STORE_FLAGS,
  };

  async run(): Promise<CheckResult> {
    const { flags } = await this.parse(StoreCheck);
    const { openExistingStore } = await import('../../src/store/open.js');
    const { countFaults, StoreCheck: Check } = await import('../../src/cli/store-check.js');
    const { Counted } = await import('../../src/cli/counted.js');
    const counted = new Counted((count) => `looked at ${count} files, messages and rooms`);
    const options = { repair: Boolean(flags.repair), counted };
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
    if (faults === 0) this.output.line('everything belongs together');
    else if (result.repaired) this.output.line(`${faults} repaired`);
    else this.output.note(`repair ${faults === 1 ? 'it' : 'them'}: switchboard store check --repair`);
  }
}

const WORDS = [
  ['bytesWithoutFile', 'stored bytes that belong to no file'],
  ['filesWithoutBytes', 'a file whose bytes are gone'],
  ['filesWithoutMessage', 'a file whose message is gone'],
  ['messagesWithoutFile', 'a message whose file is gone'],
  ['wrongRooms', 'a room with a wrong last message or unread count'],
  ['staleChanges', 'a change of a message that never came'],
] as const;
