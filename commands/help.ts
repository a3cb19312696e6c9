import { BaseCommand } from '../src/terminal/cli/command.js';

export default class HelpCommand extends BaseCommand {
  static override strict = false;
  static override summary = 'Explain a command, or list all commands';
  static override description = 'Prints the same text as --help after the command.';
  static override usage = 'help [COMMAND]';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> send text',
    '<%= config.bin %> <%= command.id %> sessions',
  ];

  async run(): Promise<void> {
    // accept any words, and flags of the command that is explained
    this.parsed = true;
    const { default: Help } = await import('../src/terminal/cli/help.js');
    await new Help(this.config).showHelp([...this.argv]);
  }
}
