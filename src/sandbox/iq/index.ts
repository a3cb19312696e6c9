import type { Connection } from '../connection.js';
import type { Network } from '../network.js';
import { NETWORK_JID } from '../wire/jid.js';
import { child, type Stanza, stanza } from '../wire/stanza.js';
import { abt } from './abt.js';
import { appState } from './app-state.js';
import { blocklist } from './blocklist.js';
import { encrypt } from './encrypt.js';
import { type IqAnswer, IqError, type IqNamespace } from './iq.js';
import { md } from './md.js';
import { mediaConn } from './media-conn.js';
import { passive } from './passive.js';
import { ping } from './ping.js';
import { privacy } from './privacy.js';
import { profilePicture } from './profile-picture.js';
import { quiet } from './quiet.js';
import { status } from './status.js';
import { usync } from './usync.js';

const NAMESPACES = new Map<string, IqNamespace>(
  [
    abt,
    appState,
    blocklist,
    encrypt,
    md,
    mediaConn,
    passive,
    ping,
    privacy,
    profilePicture,
    status,
    usync,
    ...quiet,
  ].map((namespace) => [namespace.xmlns, namespace]),
);

/** Answers a query, or takes the client's answer to one of the network's. */
export function answerIq(network: Network, connection: Connection, iq: Stanza): void {
  if (iq.attrs.type === 'result' || iq.attrs.type === 'error') {
    network.pairing.answer(connection, iq);
    return;
  }
  const after: (() => void)[] = [];
  const answer = findAnswer(network, connection, iq, (callback) => after.push(callback));
  if (answer !== 'silence') {
    connection.send(answer);
    for (const callback of after) callback();
  }
}

function findAnswer(
  network: Network,
  connection: Connection,
  iq: Stanza,
  afterAnswer: (callback: () => void) => void,
): Stanza | 'silence' {
  const { id, to, xmlns = '' } = iq.attrs;
  try {
    const answer = ask(network, connection, iq, afterAnswer);
    if (answer === 'silence') return answer;
    return stanza('iq', { from: to ?? NETWORK_JID, type: 'result', id }, answer.content);
  } catch (error) {
    if (!(error instanceof IqError)) throw error;
    network.log?.debug({ xmlns, code: error.code }, 'query refused');
    const reason = stanza('error', { code: String(error.code), text: error.message });
    return stanza('iq', { from: to ?? NETWORK_JID, type: 'error', id }, [reason]);
  }
}

function ask(
  network: Network,
  connection: Connection,
  iq: Stanza,
  afterAnswer: (callback: () => void) => void,
): IqAnswer {
  const namespace = NAMESPACES.get(iq.attrs.xmlns ?? '');
  if (!namespace) throw new IqError(501, 'feature-not-implemented');
  if (!namespace.isOpen && !connection.companion) throw new IqError(401, 'not-authorized');
  return namespace.answer({ network, connection, iq, body: child(iq), afterAnswer });
}
