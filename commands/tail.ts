import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import { httpUrl } from '../src/terminal/cli/flags.js';
import type { TailForwarder } from '../src/terminal/cli/forward.js';
import { nearestNames } from '../src/terminal/cli/nearest.js';
import { requireSession } from '../src/terminal/cli/sessions.js';
import { ERRORS, OUTCOMES, type TailItem } from '../src/terminal/cli/tail.js';
import { listenForInterrupt } from '../src/terminal/cli/terminal.js';
import { EVENT_TYPES } from '../src/terminal/cli/trigger.js';

export default class Tail extends DaemonCommand {
  static override summary = 'Watch events and delivery attempts live';
  static override description =
    `Prints new entries until Ctrl+C; then exits with 130. Reconnects automatically and continues after the last entry. With --json, \
prints one JSON value per line; notes go to standard error.

--forward-to also POSTs each printed event to another URL, as a webhook call: X-SN-Event is the event type, \
X-SN-Delivery the id of the entry; --forward-token adds Authorization and signature. Prints status and time \
of each reply. Makes one attempt per event. A slow target does not delay the tail: if too many events wait, \
further ones are dropped with a message.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme --type text --type image',
    '<%= config.bin %> <%= command.id %> --errors',
    '<%= config.bin %> <%= command.id %> --outcome rejected --json',
    '<%= config.bin %> <%= command.id %> --session acme --forward-to http://localhost:4000/webhook --forward-token s3cret',
    '<%= config.bin %> <%= command.id %> --json | jq \'select(.kind == "attempt")\'',
  ];
  static override flags = {
    session: Flags.string({ description: 'only entries of this session' }),
    type: Flags.string({
      description: 'only this event type, such as text or session_status; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
    outcome: Flags.string({
      description: 'only deliveries with this outcome; repeatable',
      options: [...OUTCOMES],
      multiple: true,
      multipleNonGreedy: true,
      exclusive: ['forward-to'],
    }),
    errors: Flags.boolean({
      description: `only errors: the outcomes ${ERRORS.join(', ')}`,
      exclusive: ['outcome', 'forward-to'],
    }),
    'forward-to': httpUrl({ description: 'also POST each printed event to this URL' }),
    'forward-token': Flags.string({
      description: 'bearer token and signing key of the forwarded calls',
      env: 'SWITCHBOARD_FORWARD_TOKEN',
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(Tail);
    requireTypes(flags.type);
    const { tail } = await import('../src/terminal/cli/tail.js');
    const interrupt = listenForInterrupt();
    const client = await this.daemon(flags, interrupt.signal);
    if (flags.session !== undefined) await requireSession(client, flags.session);
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
    if (interrupt.bySignal) process.exitCode = EXIT_CODES.interrupted;
  }

  private async show(item: Exclude<TailItem, { type: 'open' }>): Promise<void> {
    if (item.type === 'reconnecting') {
      this.output.note(`reconnecting in ${item.delayMs / 1000} s: ${item.reason}`);
    } else if (this.jsonEnabled()) {
      this.output.json({ id: item.id, ...item.entry });
    } else {
      const { tailLine } = await import('../src/terminal/cli/tail-lines.js');
      this.output.line(tailLine(item.entry, this.output.paint));
    }
  }

  private async forwarder(url: string | undefined, token = ''): Promise<TailForwarder | undefined> {
    if (url === undefined) return undefined;
    const { TailForwarder } = await import('../src/terminal/cli/forward.js');
    const { forwardLine } = await import('../src/terminal/cli/tail-lines.js');
    return new TailForwarder({ url, token }, (id, report) => {
      if (this.jsonEnabled()) this.output.json({ id, ...report });
      else this.output.line(forwardLine(report, this.output.paint));
    });
  }
}

function opened(resumed: boolean, url: string): string {
  return resumed ? 'connected again' : `watching ${url}, stop with Ctrl+C`;
}

/** @throws CliError `usage` */
function requireTypes(types: readonly string[] = []): void {
  const unknown = types.find((type) => !EVENT_TYPES.some((known) => known === type));
  if (unknown === undefined) return;
  const near = nearestNames(EVENT_TYPES, unknown);
  throw new CliError('usage', `--type ${unknown}: there is no such event type`, {
    suggestions: [
      ...near.map((type) => `did you mean: --type ${type}`),
      'list the types: switchboard trigger',
    ],
  });
}
