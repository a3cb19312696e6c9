import type { Connection } from '../connection.js';
import type { Network } from '../network.js';
import { NETWORK_JID } from '../wire/jid.js';
import { child, type Stanza, type StanzaContent, stanza } from '../wire/stanza.js';
import { abt } from './abt.js';
import { appState } from './app-state.js';
import { blocklist } from './blocklist.js';
import { business } from './business.js';
import { encrypt } from './encrypt.js';
import { groups } from './groups.js';
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
    business,
    encrypt,
    groups,
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
  const finish = (answer: IqAnswer) => {
    if (answer === 'silence') return;
    connection.send(result(iq, answer.content));
    for (const callback of after) callback();
  };
  try {
    const answer = ask(network, connection, iq, (callback) => after.push(callback));
    if (answer instanceof Promise)
      void answer.then(finish).catch((error) => failLate(network, connection, iq, error));
    else finish(answer);
  } catch (error) {
    refuse(network, connection, iq, error);
  }
}

/** @throws what is no refusal. */
function refuse(network: Network, connection: Connection, iq: Stanza, error: unknown): void {
  if (!(error instanceof IqError)) throw error;
  const { id, to, xmlns = '' } = iq.attrs;
  network.log?.debug({ xmlns, code: error.code }, 'query refused');
  const reason = stanza('error', { code: String(error.code), text: error.message });
  connection.send(stanza('iq', { from: to ?? NETWORK_JID, type: 'error', id }, [reason]));
}

/** Nobody waits for what takes longer: as with any malformed stanza, the connection is closed. */
function failLate(network: Network, connection: Connection, iq: Stanza, error: unknown): void {
  try {
    refuse(network, connection, iq, error);
  } catch {
    network.log?.warn({ err: error }, 'a query failed: the connection is closed');
    connection.cut();
  }
}

function result({ attrs: { id, to } }: Stanza, content: StanzaContent): Stanza {
  return stanza('iq', { from: to ?? NETWORK_JID, type: 'result', id }, content);
}

function ask(
  network: Network,
  connection: Connection,
  iq: Stanza,
  afterAnswer: (callback: () => void) => void,
): IqAnswer | Promise<IqAnswer> {
  const namespace = NAMESPACES.get(iq.attrs.xmlns ?? '');
  if (!namespace) throw new IqError(501, 'feature-not-implemented');
  network.stats.countQuery(namespace.xmlns);
  if (!namespace.isOpen && !connection.companion) throw new IqError(401, 'not-authorized');
  return namespace.answer({ network, connection, iq, body: child(iq), afterAnswer });
}
