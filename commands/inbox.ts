import { Flags } from '@oclif/core';
import { CliError } from '../src/cli/cli-error.js';
import { DaemonCommand } from '../src/cli/daemon-command.js';

const INSTEAD = [
  'read in a script or a pipe: switchboard rooms list, switchboard messages list',
  'follow what happens: switchboard tail --json',
];

export default class Inbox extends DaemonCommand {
  static override summary = 'Read and write the chats of all sessions, full screen';
  static override description =
    `Shows the sessions, their rooms and the open conversation, live, and writes: messages,
replies, reactions, edits, files. Numbers are paired inside too. Press ? for all keys and q to leave.
History is there for sessions with a workspace (pair --org, or inside). A daemon that goes away is waited for.
It takes a whole terminal; scripts use rooms list, messages list and tail.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --session acme',
    '<%= config.bin %> <%= command.id %> --url https://gateway.example.com',
  ];
  static override flags = { session: Flags.string({ description: 'show the rooms of this session first' }) };

  async run(): Promise<void> {
    const { flags } = await this.parse(Inbox);
    this.requireTerminal();
    const end = new AbortController();
    const client = await this.daemon(flags, end.signal);
    requireSession(await client.clients(), flags.session);
    const { createInboxModel } = await import('../src/cli/inbox/create-inbox-model.js');
    const { renderInbox } = await import('../src/tui/render-inbox.js');
    const model = createInboxModel(client, { clientId: flags.session, signal: end.signal });
    try {
      await renderInbox(model, { client });
    } finally {
      model.close();
      end.abort();
    }
  }

  /** @throws CliError `usage` */
  private requireTerminal(): void {
    if (this.jsonEnabled()) {
      throw new CliError('usage', '--json: the inbox is a full screen for people', { suggestions: INSTEAD });
    }
    if (process.stdin.isTTY && process.stdout.isTTY) return;
    throw new CliError('usage', 'the inbox needs a terminal for its input and output', {
      suggestions: INSTEAD,
    });
  }
}

/** @throws CliError `not_found` */
function requireSession(sessions: readonly { clientId: string }[], clientId: string | undefined): void {
  if (clientId === undefined || sessions.some((session) => session.clientId === clientId)) return;
  throw new CliError('not_found', `there is no session ${clientId}`, {
    suggestions: ['see which there are: switchboard sessions list', `pair it: switchboard pair ${clientId}`],
  });
}
