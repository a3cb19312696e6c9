import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/cli/daemon-command.js';
import { httpUrl } from '../src/cli/flags.js';
import { listenForInterrupt } from '../src/cli/interrupt.js';
import type { ListenItem } from '../src/cli/listen/listen.js';

export default class Listen extends DaemonCommand {
  static override summary = "Receive a session's events here, in place of its webhook";
  static override description =
    `Starts a receiver on this machine, puts it in front of the session's webhook until Ctrl+C, and shows each \
event with the status it was answered with. Each call must carry the token that was made for this run, \
and its signature; any other is answered 401 and shown.

The former webhook is never overwritten. It is used again as soon as this command ends, however it ends: \
a listener that is killed is gone after half a minute, and what it does not answer goes to the webhook. \
Only one listener at a time can have a session.

With --forward-to each event is handed on, and answered with what the target answers (502 when it does \
not, at the latest after 14 s), so that its errors are retried as they would be. --fail tries retries \
without any code.

The daemon must be able to call this machine: one that runs with --allow-private-urls off (the default \
outside the sandbox) refuses 127.0.0.1. For a daemon on another machine use --host and --public-url.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> --session acme',
    '<%= config.bin %> <%= command.id %> --session acme --forward-to http://localhost:4000/webhook --forward-token s3cret',
    '<%= config.bin %> <%= command.id %> --session acme --fail 503 --fail-attempts 2',
    '<%= config.bin %> <%= command.id %> --session acme --print body --extra-events',
    '<%= config.bin %> <%= command.id %> --session acme --json | jq \'select(.type == "event") | .event.body\'',
    '<%= config.bin %> <%= command.id %> --session acme --host 0.0.0.0 --port 4000 --public-url http://laptop.lan:4000/',
  ];
  static override flags = {
    session: Flags.string({ description: 'whose events; may be left out when there is only one session' }),
    'forward-to': httpUrl({ description: 'hand each event on to this address and answer as it does' }),
    'forward-token': Flags.string({
      description: 'token that the forwarded calls carry and are signed with',
      env: 'SWITCHBOARD_FORWARD_TOKEN',
    }),
    fail: Flags.integer({
      description: 'answer with this status in place of taking events',
      min: 300,
      max: 599,
    }),
    'fail-attempts': Flags.integer({
      description: 'of each event answer only so many attempts so',
      min: 1,
      dependsOn: ['fail'],
    }),
    'extra-events': Flags.boolean({ description: 'also take message_status and session_status' }),
    print: Flags.string({
      description: 'what is shown of an event',
      options: ['line', 'body'],
      default: 'line',
    }),
    host: Flags.string({ description: 'address of this machine to listen on', default: '127.0.0.1' }),
    port: Flags.integer({ description: 'port to listen on; else any that is free', min: 1, max: 65_535 }),
    'public-url': httpUrl({
      description: 'where the daemon reaches this machine, if that is another address',
    }),
    'take-over': Flags.boolean({ description: 'take the place of another listener of the session' }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(Listen);
    const { listen } = await import('../src/cli/listen/listen.js');
    const { chooseSession } = await import('../src/cli/listen/session.js');
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
        extraEvents: flags['extra-events'] ? ['message_status', 'session_status'] : [],
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
    const { eventLines, noteOf, refusedLine } = await import('../src/cli/listen/lines.js');
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
