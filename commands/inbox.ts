import { Flags } from '@oclif/core';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError } from '../src/terminal/cli/errors.js';

const INSTEAD = [
  'in a script or a pipe: switchboard rooms list, switchboard messages list',
  'follow events: switchboard tail --json',
];

export default class Inbox extends DaemonCommand {
  static override summary = 'Read and write the chats of all sessions, full screen';
  static override description =
    `Shows sessions, rooms and the open conversation, live. Sends messages, replies, reactions, edits and \
files, and pairs numbers. Press ? for the keys and q to quit. Only sessions with a workspace have \
rooms: set one with pair --org, or inside the inbox. Reconnects automatically. \
Needs a terminal; in scripts use rooms list, messages list and tail.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme',
    '<%= config.bin %> <%= command.id %> --url https://gateway.example.com',
  ];
  static override flags = { session: Flags.string({ description: 'select this session at start' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Inbox);
    this.requireTerminal();
    const end = new AbortController();
    const client = await this.daemon(flags, end.signal);
    requireSession((await client.listClients()).clients, flags.session);
    const { createInboxModel } = await import('../src/terminal/cli/inbox/inbox.js');
    const { renderInbox } = await import('../src/terminal/tui/inbox/inbox-screen.js');
    const { readScreenSettings } = await import('../src/terminal/tui/settings.js');
    const settings = await readScreenSettings(this.config.configDir);
    const model = createInboxModel(client, { clientId: flags.session, signal: end.signal });
    try {
      await renderInbox(model, { client, where: this.placeOf(flags), settings });
    } finally {
      model.close();
      end.abort();
    }
  }

  /** @throws CliError `usage` */
  private requireTerminal(): void {
    if (this.jsonEnabled()) {
      throw new CliError('usage', 'the inbox does not support --json', { suggestions: INSTEAD });
    }
    if (process.stdin.isTTY && process.stdout.isTTY) return;
    throw new CliError('usage', 'the inbox needs a terminal for input and output', {
      suggestions: INSTEAD,
    });
  }
}

/** @throws CliError `not_found` */
function requireSession(sessions: readonly { clientId: string }[], clientId: string | undefined): void {
  if (clientId === undefined || sessions.some((session) => session.clientId === clientId)) return;
  throw new CliError('not_found', `there is no session ${clientId}`, {
    suggestions: ['list the sessions: switchboard sessions list', `pair it: switchboard pair ${clientId}`],
  });
}
