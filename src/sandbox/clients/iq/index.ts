import { IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { child, NETWORK_JID, type Stanza, stanza } from '../../wire/stanza.js';
import { appState } from './app-state.js';
import { abt, md, passive, ping, reports, terms } from './device.js';
import { groups } from './groups.js';
import type { Client, IqAnswer, IqNamespace } from './iq.js';
import { mediaConn, profilePicture } from './media.js';
import { mex } from './mex.js';
import { newsletter } from './newsletter.js';
import { business, status, usync } from './people.js';
import { encrypt } from './prekeys.js';
import { blocklist, disappearingMode, privacy } from './privacy.js';

const NAMESPACES = new Map<string, IqNamespace>(
  [
    abt,
    appState,
    blocklist,
    business,
    disappearingMode,
    encrypt,
    groups,
    md,
    mediaConn,
    mex,
    newsletter,
    passive,
    ping,
    privacy,
    profilePicture,
    status,
    terms,
    usync,
    ...reports,
  ].map((namespace) => [namespace.xmlns, namespace]),
);

/** Answers a query, or takes the client's answer to a query of the network. */
export function answerIq(client: Client, iq: Stanza): void {
  const { pairing, connection } = client;
  if (iq.attrs.type === 'result' || iq.attrs.type === 'error') {
    pairing.takeAnswer(connection, iq);
    return;
  }
  const finish = (answer: IqAnswer) => {
    if (answer === 'silence') return;
    const { id, to } = iq.attrs;
    connection.send(stanza('iq', { from: to ?? NETWORK_JID, type: 'result', id }, answer.content));
    answer.after?.();
  };
  try {
    const answer = ask(client, iq);
    if (answer instanceof Promise)
      void answer.then(finish).catch((error: unknown) => failLate(client, iq, error));
    else finish(answer);
  } catch (error) {
    refuse(client, iq, error);
  }
}

function ask(client: Client, iq: Stanza): IqAnswer | Promise<IqAnswer> {
  const namespace = NAMESPACES.get(iq.attrs.xmlns ?? '');
  if (!namespace) throw NOT_PLAYED;
  client.network.stats.countQuery(namespace.xmlns);
  if (!namespace.isOpen && !client.connection.companion) throw new IqError(401, 'not-authorized');
  return namespace.answer({ ...client, iq, body: child(iq) });
}

/** Sends a refusal to the client. @throws any other error */
function refuse({ network, connection }: Client, iq: Stanza, error: unknown): void {
  if (!(error instanceof IqError)) throw error;
  const { id, to, xmlns = '' } = iq.attrs;
  network.log?.debug({ xmlns, code: error.code }, 'query refused');
  const reason = stanza('error', { code: String(error.code), text: error.message });
  connection.send(stanza('iq', { from: to ?? NETWORK_JID, type: 'error', id }, [reason]));
}

/** The failure of an asynchronous answer: closes the connection, as malformed input does. */
function failLate(client: Client, iq: Stanza, error: unknown): void {
  try {
    refuse(client, iq, error);
  } catch {
    client.network.log?.warn({ err: error }, 'a query failed: the connection is closed');
    client.connection.cut();
  }
}
