import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import { listenForInterrupt } from '../src/cli/interrupt.js';

export default class Tail extends DaemonCommand {
  static override summary = 'Watch events and delivery attempts live';
  static override description =
    `Shows what happens from now on, until Ctrl+C. A lost connection comes back by itself and
goes on after the last entry. With --json each entry is one JSON value on a line; notes go to standard error.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --type text --type image',
    '<%= config.bin %> <%= command.id %> --json | jq \'select(.kind == "attempt")\'',
  ];
  static override flags = {
    session: Flags.string({ description: 'only this session' }),
    type: Flags.string({
      description: 'only this event type, such as text or session_status; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(Tail);
    const { tail } = await import('../src/cli/tail.js');
    const { tailLine } = await import('../src/cli/tail-lines.js');
    const interrupt = listenForInterrupt();
    const client = await this.daemon(flags, interrupt.signal);
    const options = { clientId: flags.session, types: flags.type, signal: interrupt.signal };
    for await (const item of tail(client, options)) {
      if (item.type === 'open') {
        this.output.note(item.resumed ? 'connected again' : `watching ${client.url}, Ctrl+C ends`);
      } else if (item.type === 'reconnecting') {
        this.output.note(`reconnecting in ${item.delayMs / 1000} s: ${item.reason}`);
      } else if (this.jsonEnabled()) {
        this.output.json({ id: item.id, ...item.entry });
      } else {
        this.output.line(tailLine(item.entry, this.output.paint));
      }
    }
    interrupt.release();
  }
}
