import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import { httpUrl } from '../src/cli/flags.js';
import { listenForInterrupt } from '../src/cli/interrupt.js';
import type { TailItem } from '../src/cli/tail.js';
import { ERRORS, OUTCOMES } from '../src/cli/tail-filter.js';
import type { TailForwarder } from '../src/cli/tail-forward.js';

export default class Tail extends DaemonCommand {
  static override summary = 'Watch events and delivery attempts live';
  static override description =
    `Shows what happens from now on, until Ctrl+C. A lost connection comes back by itself and goes on after \
the last entry. With --json each entry is one JSON value on a line; notes go to standard error.

--forward-to POSTs every event that is shown to another address as well, as a webhook would get it: \
X-SN-Event is its type, X-SN-Delivery the id of its entry, and with --forward-token Authorization and \
signature are those of that token. Each answer is shown with its status and time. It is one attempt for \
each event; a target that is slow or dead never holds up the tail: what waits too long is dropped, and \
that is said.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --type text --type image',
    '<%= config.bin %> <%= command.id %> --errors',
    '<%= config.bin %> <%= command.id %> --outcome rejected --json',
    '<%= config.bin %> <%= command.id %> --session acme --forward-to http://localhost:4000/webhook --forward-token s3cret',
    '<%= config.bin %> <%= command.id %> --json | jq \'select(.kind == "attempt")\'',
  ];
  static override flags = {
    session: Flags.string({ description: 'only this session' }),
    type: Flags.string({
      description: 'only this event type, such as text or session_status; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
    outcome: Flags.string({
      description: 'only attempts and drops that ended so; repeatable',
      options: [...OUTCOMES],
      multiple: true,
      multipleNonGreedy: true,
      exclusive: ['forward-to'],
    }),
    errors: Flags.boolean({
      description: `only what went wrong: the outcomes ${ERRORS.join(', ')}`,
      exclusive: ['outcome', 'forward-to'],
    }),
    'forward-to': httpUrl({ description: 'POST every event that is shown to this address too' }),
    'forward-token': Flags.string({
      description: 'token that the forwarded calls carry and are signed with',
      env: 'SWITCHBOARD_FORWARD_TOKEN',
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(Tail);
    const { tail } = await import('../src/cli/tail.js');
    const interrupt = listenForInterrupt();
    const client = await this.daemon(flags, interrupt.signal);
    const forwarder = await this.forwarder(flags['forward-to'], flags['forward-token']);
    const outcomes = flags.errors ? ERRORS : flags.outcome;
    const options = { clientId: flags.session, types: flags.type, outcomes, signal: interrupt.signal };
    try {
      for await (const item of tail(client, options)) {
        if (item.type === 'open') this.output.note(opened(item.resumed, client.url));
        else await this.show(item);
        if (item.type === 'entry' && item.entry.kind === 'event') forwarder?.add(item.id, item.entry);
      }
    } finally {
      const lost = (await forwarder?.end()) ?? 0;
      if (lost > 0) this.output.warning(`${lost} ${lost === 1 ? 'event was' : 'events were'} not forwarded`);
      interrupt.release();
    }
  }

  private async show(item: Exclude<TailItem, { type: 'open' }>): Promise<void> {
    if (item.type === 'reconnecting') {
      this.output.note(`reconnecting in ${item.delayMs / 1000} s: ${item.reason}`);
    } else if (this.jsonEnabled()) {
      this.output.json({ id: item.id, ...item.entry });
    } else {
      const { tailLine } = await import('../src/cli/tail-lines.js');
      this.output.line(tailLine(item.entry, this.output.paint));
    }
  }

  private async forwarder(url: string | undefined, token = ''): Promise<TailForwarder | undefined> {
    if (url === undefined) return undefined;
    const { TailForwarder } = await import('../src/cli/tail-forward.js');
    const { forwardLine } = await import('../src/cli/tail-lines.js');
    return new TailForwarder({
      target: { url, token },
      onReport: (id, report) => {
        if (this.jsonEnabled()) this.output.json({ id, ...report });
        else this.output.line(forwardLine(report, this.output.paint));
      },
    });
  }
}

function opened(resumed: boolean, url: string): string {
  return resumed ? 'connected again' : `watching ${url}, Ctrl+C ends`;
}
