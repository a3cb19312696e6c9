import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { httpUrl } from '../src/terminal/cli/flags.js';
import type { ListenItem } from '../src/terminal/cli/listen/listen.js';
import { listenForInterrupt } from '../src/terminal/cli/terminal.js';

export default class Listen extends DaemonCommand {
  static override summary = "Receive a session's events on this machine instead of at its webhook";
  static override description =
    `Starts a webhook receiver on this machine, registers it with the daemon until Ctrl+C, and prints each \
event with the HTTP status of the reply. Rejects calls without the token and signature of this run with 401.

The session keeps its own webhook setting. Its webhook gets the events again as soon as this command ends. \
If the command is killed, its registration expires after 30 s and unanswered events go to the webhook. A \
session has one listener at a time.

--forward-to passes each event on and replies with the target's status, so that the daemon retries its \
errors; it replies 502 if the target does not answer within 14 s. --fail tests retries without a target.

The daemon must be able to call this machine. Without --allow-private-urls (the default outside the \
sandbox) it refuses 127.0.0.1. For a daemon on another machine, use --host and --public-url.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --session acme',
    '<%= config.bin %> <%= command.id %> --session acme --forward-to http://localhost:4000/webhook --forward-token s3cret',
    '<%= config.bin %> <%= command.id %> --session acme --fail 503 --fail-attempts 2',
    '<%= config.bin %> <%= command.id %> --session acme --print body --extra-events',
    '<%= config.bin %> <%= command.id %> --session acme --json | jq \'select(.type == "event") | .event.body\'',
    '<%= config.bin %> <%= command.id %> --session acme --host 0.0.0.0 --port 4000 --public-url http://laptop.lan:4000/',
  ];
  static override flags = {
    session: Flags.string({ description: 'session whose events to receive; optional if there is only one' }),
    'forward-to': httpUrl({ description: 'forward each event to this URL and reply with its status' }),
    'forward-token': Flags.string({
      description: 'bearer token and signing key of the forwarded calls',
      env: 'SWITCHBOARD_FORWARD_TOKEN',
    }),
    fail: Flags.integer({
      description: 'reply with this HTTP status instead of accepting the event',
      min: 300,
      max: 599,
    }),
    'fail-attempts': Flags.integer({
      description: 'fail only the first N attempts of each event',
      min: 1,
      dependsOn: ['fail'],
    }),
    'extra-events': Flags.boolean({ description: 'also receive all opt-in events' }),
    print: Flags.string({
      description: 'output per event: one line, or the body as JSON',
      options: ['line', 'body'],
      default: 'line',
    }),
    host: Flags.string({ description: 'local address to listen on', default: '127.0.0.1' }),
    port: Flags.integer({
      description: 'local port to listen on; default: any free port',
      min: 1,
      max: 65_535,
    }),
    'public-url': httpUrl({
      description: 'URL at which the daemon reaches this machine, if it differs',
    }),
    'take-over': Flags.boolean({ description: 'replace another listener of the session' }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen);
    const { listen } = await import('../src/terminal/cli/listen/listen.js');
    const { chooseSession } = await import('../src/terminal/cli/sessions.js');
    const interrupt = listenForInterrupt();
    try {
      const client = await this.daemon(flags, interrupt.signal);
      await listen({
        client,
        lastClient: (signal) => this.daemon(flags, signal),
        clientId: await chooseSession(client, flags.session),
        host: flags.host,
        port: flags.port ?? 0,
        publicUrl: flags['public-url'],
        extraEvents: flags['extra-events'] ?? false,
        takeOver: flags['take-over'],
        forwardTo: targetOf(flags['forward-to'], flags['forward-token']),
        fail: flags.fail ? { status: flags.fail, attempts: flags['fail-attempts'] ?? Infinity } : undefined,
        signal: interrupt.signal,
        tell: await this.teller(flags.print === 'body'),
      });
    } finally {
      interrupt.release();
    }
  }

  private async teller(showsBody: boolean): Promise<(item: ListenItem) => void> {
    const { eventLines, noteOf, refusedLine } = await import('../src/terminal/cli/listen/listen.js');
    return (item) => {
      if (this.jsonEnabled()) this.output.json(item);
      else if (item.type === 'refused') this.output.line(refusedLine(item, this.output.paint));
      else if (item.type !== 'event') this.output.note(noteOf(item));
      else if (showsBody) this.output.json(item.event, { indent: true });
      else for (const line of eventLines(item, this.output.paint)) this.output.line(line);
    };
  }
}

function targetOf(url: string | undefined, token = ''): { url: string; token: string } | undefined {
  return url === undefined ? undefined : { url, token };
}
