import { Readable } from 'node:stream';
import { Args } from '@oclif/core';
import { type AdoptAnswer, AdoptCommand } from '../../src/terminal/cli/adopt/adopt-command.js';
import { passphraseFile } from '../../src/terminal/cli/adopt/sealed-file.js';

export default class SessionsImport extends AdoptCommand {
  static override summary = 'Take over a session that another Switchboard exported to a file';
  static override description =
    `The number connects with the same link, without pairing. Webhook, workspace and other settings come from the file. The passphrase \
comes from --passphrase-file, SWITCHBOARD_PASSPHRASE or the terminal.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme.session --dry-run',
    '<%= config.bin %> <%= command.id %> acme.session',
    '<%= config.bin %> <%= command.id %> acme.session --undo',
  ];
  static override args = {
    file: Args.string({ name: 'FILE', required: true, description: 'file of `switchboard sessions export`' }),
  };
  static override flags = { 'passphrase-file': passphraseFile };

  async run(): Promise<AdoptAnswer> {
    const { args, flags } = await this.parse(SessionsImport);
    const { readPassphrase, readSealed } = await import('../../src/terminal/cli/adopt/sealed-file.js');
    const { readJsonLines } = await import('../../src/terminal/cli/adopt/json-lines.js');
    const passphrase = await readPassphrase(flags['passphrase-file'], { isNew: false });
    const text = await readSealed(args.file, passphrase);
    const numbers = await readJsonLines(Readable.from([text]));
    return this.perform(
      numbers.map((number) => ({ ...number, place: args.file })),
      flags,
    );
  }
}
