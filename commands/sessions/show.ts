import type { HistoryProgress } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { waitingText } from '../../src/terminal/cli/failed.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { reasonText } from '../../src/terminal/cli/reason-text.js';
import {
  lastDisconnectOf,
  paintStatus,
  proxyText,
  receiversText,
  retentionText,
  type SessionDetails,
  showSession,
} from '../../src/terminal/cli/sessions.js';

export default class SessionsShow extends DaemonCommand {
  static override summary = 'Show the state of a session';
  static override description =
    'Connected means recent traffic from WhatsApp. Otherwise the reason says what is wrong.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --json | jq -r .jid',
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<SessionDetails> {
    const { args, flags } = await this.parse(SessionsShow);
    const session = await showSession(await this.daemon(flags), args.clientId);
    if (!this.jsonEnabled()) this.show(session);
    return session;
  }

  private show(session: SessionDetails): void {
    this.output.fields({
      session: session.clientId,
      status: paintStatus(session.status, this.output.paint),
      reason: reasonText(session, session.clientId),
      jid: session.jid,
      node: session.podName,
      workspace: session.orgId,
      webhook: session.webhookUrl,
      ...(session.retry && { retry: session.retry }),
      ...(session.webhookPaused && { 'webhook paused': session.webhookPaused }),
      ...(session.waiting && { waiting: waitingText(session.waiting) }),
      ...(session.receivers && { receivers: receiversText(session.receivers) }),
      ...(session.proxy && { proxy: proxyText(session.proxy) }),
      ...(session.listener && { listener: session.listener.url }),
      ...(session.history && { 'history import': importText(session.history) }),
      ...(session.extraEvents && { 'extra events': session.extraEvents.join(', ') || 'none' }),
      'group events': session.enableGroupAi ? 'on' : 'off',
      ...(session.retentionDays !== undefined && { retention: retentionText(session.retentionDays) }),
      ...(session.keepEvents && { 'events kept': retentionText(session.keepEvents) }),
      calls: session.rejectCalls ? 'declined' : 'ring',
      'connected since': session.connectedAt,
      'last traffic': session.lastStanzaAt,
      reconnects: String(session.reconnects),
      'last disconnect': reasonText(lastDisconnectOf(session), session.clientId),
    });
  }
}

function importText({ progress, messages }: HistoryProgress): string {
  return `${progress} % (${messages} messages)`;
}
