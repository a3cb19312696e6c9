import type { MessageView } from '../../src/client/sandbox/client.js';
import { singleLine } from '../../src/domain/text.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxMessages extends BaseCommand {
  static override summary = 'Show the messages on a simulated phone';
  static override description =
    'Prints decrypted messages, oldest first, with edits, deletions, reactions, votes and receipts.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000002',
    "<%= config.bin %> <%= command.id %> +15550000002 --json | jq -r '.messages[-1].text'",
  ];
  static override args = { number: numberArg('number of the phone') };
  static override flags = { 'sandbox-url': sandboxUrlFlag() };

  async run(): Promise<{ messages: MessageView[] }> {
    const { args, flags } = await this.parse(SandboxMessages);
    const { askSandbox } = await import('../../src/terminal/cli/sandbox.js');
    const messages = await askSandbox(flags['sandbox-url'], (sandbox) => sandbox.messages(args.number));
    if (this.jsonEnabled()) return { messages };
    if (messages.length === 0) this.output.note(`${args.number} has no messages`);
    for (const message of messages) this.show(message);
    return { messages };
  }

  private show(message: MessageView): void {
    const { from, to, fromMe, type, text, messageId, receipts } = message;
    const { paint } = this.output;
    const arrow = fromMe ? paint('cyan', '→') : paint('green', '←');
    const kind = type === 'text' ? '' : ` [${singleLine(type)}]`;
    const states = Object.entries(receipts).map(([number, state]) => `${state} by ${number}`);
    const tail = paint('dim', [messageId, ...marksOf(message), ...states].join(', '));
    this.output.line(`${arrow} ${fromMe ? to : from}${kind}: ${singleLine(text)} ${tail}`);
  }
}

function marksOf({ edited, revoked, reactions, media, poll }: MessageView): string[] {
  const votes = Object.entries(poll?.votes ?? {});
  return [
    ...(edited ? ['edited'] : []),
    ...(revoked ? ['deleted'] : []),
    ...(media ? [`${media.size} bytes`, ...(media.error ? [singleLine(media.error)] : [])] : []),
    ...Object.entries(reactions).map(([number, emoji]) => `${singleLine(emoji)} by ${number}`),
    ...votes.map(([number, options]) => `${options.map(singleLine).join(' + ')} by ${number}`),
  ];
}
