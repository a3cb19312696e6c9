import { createReadStream, statSync } from 'node:fs';
import { Args } from '@oclif/core';
import { type AdoptAnswer, AdoptCommand } from '../../src/terminal/cli/adopt/adopt-command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { requirePipe } from '../../src/terminal/cli/terminal.js';

export default class AdoptJson extends AdoptCommand {
  static override summary = 'Take over linked numbers from JSON lines';
  static override description =
    `Each line is one number: {"clientId", "credentials", "keys": {"<family>": {"<id>": value}}}, with credentials and keys as \
Baileys writes them in JSON; and if wanted webhookUrl, webhookToken and orgId. Stop the program that has the numbers first: \
WhatsApp permits one connection for each link.`;
  static override examples = [
    'export-numbers | <%= config.bin %> <%= command.id %> - --dry-run',
    '<%= config.bin %> <%= command.id %> numbers.jsonl',
  ];
  static override args = {
    file: Args.string({
      name: 'FILE',
      required: true,
      description: 'file of JSON lines; - reads standard input',
    }),
  };

  async run(): Promise<AdoptAnswer> {
    const { args, flags } = await this.parse(AdoptJson);
    const { readJsonLines } = await import('../../src/terminal/cli/adopt/json-lines.js');
    if (args.file === '-') requirePipe();
    else if (!statSync(args.file, { throwIfNoEntry: false })?.isFile())
      throw new CliError('not_found', `there is no file ${args.file}`);
    return this.perform(
      await readJsonLines(args.file === '-' ? process.stdin : createReadStream(args.file)),
      flags,
    );
  }
}
