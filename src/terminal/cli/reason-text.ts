import type { Call } from '../../domain/reason-table.js';
import { type Reason, reasonFrom, textOf } from '../../domain/reasons.js';

/** The command that does the same as a call; the name of a session is its first argument. */
const COMMANDS: Readonly<Record<Call, readonly [command: string, flags?: string]>> = {
  start: ['switchboard pair'],
  pairPhone: ['switchboard pair', '--phone'],
  reconnect: ['switchboard sessions reconnect'],
  disconnect: ['switchboard sessions disconnect'],
  exportSession: ['switchboard sessions export'],
  setWebhook: ['switchboard sessions webhook'],
  pauseWebhook: ['switchboard sessions webhook', '--pause'],
  setProxy: ['switchboard sessions proxy'],
  setOrgId: ['switchboard sessions org'],
  setRetention: ['switchboard sessions retention'],
  listChatRooms: ['switchboard rooms list'],
  listOutbox: ['switchboard outbox list'],
  cancelHeldMessage: ['switchboard outbox cancel'],
  deleteMessage: ['switchboard send delete'],
  deleteChannelPost: ['switchboard channels delete'],
  listChannels: ['switchboard channels list'],
  getStatusPrivacy: ['switchboard statuses privacy'],
  setStatusPrivacy: ['switchboard statuses set-privacy'],
};

/** The fields of an answer that carry a reason. */
export interface GivenReason {
  reason?: string | undefined;
  reasonCode?: string | undefined;
  reasonValues?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A reason in the words of the command line, which names commands. A code that this release does not know has the daemon's
 * words.
 * @param clientId the session that the reason is about
 */
export function reasonText(
  { reason = '', reasonCode, reasonValues }: GivenReason,
  clientId?: string,
): string {
  const known = reasonFrom(reasonCode, reasonValues);
  return known ? inTerminal(known, clientId) : reason;
}

export function inTerminal(reason: Reason, clientId?: string): string {
  return textOf(reason, {
    verb: 'run',
    name: (call) => `\`${commandOf(call, clientId)}\``,
    isTerminal: true,
  });
}

function commandOf(call: Call, clientId: string | undefined): string {
  const [command, flags] = COMMANDS[call];
  return [command, clientId, flags].filter(Boolean).join(' ');
}
