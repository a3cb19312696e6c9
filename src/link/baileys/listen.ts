import { type BinaryNode, type ConnectionState, jidDecode } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import type { Logger } from '../../log.js';
import type { LinkEvent } from '../link.js';
import type { Connection } from './connection.js';
import type { Ending } from './ending.js';
import { guardListeners } from './faults.js';
import { resentMessage } from './incoming.js';
import { changedNumber, noteNumber, pictureOwner } from './people/notices.js';
import { statusesIn } from './receipts.js';
import type { Watchdog } from './watchdog.js';

/** Stanzas after which the library closes, and would wait for a peer that may be gone. */
const FAREWELLS = ['CB:stream:error', 'CB:failure', 'CB:xmlstreamend', 'CB:ib,,downgrade_webclient'];

/** Who learns what a connection hears. */
export interface Listener {
  clock: Clock;
  log: Logger;
  ending: Ending;
  watchdog: Watchdog;
  emit(event: LinkEvent): void;
  onUpdate(update: Partial<ConnectionState>): void;
  onCredentials(): void;
}

/** Listens to everything that a fresh connection tells. Must be called in the tick in which it was made. */
export function listen(connection: Connection, listener: Listener): void {
  guard(connection, listener);
  listenToStanzas(connection, listener);
  listenToEvents(connection, listener);
}

function guard({ sock: { ws } }: Connection, { log, ending }: Listener): void {
  guardListeners(ws, {
    stanzaFault: (error, event) => log.warn({ err: error, event }, 'a stanza could not be processed'),
    frameFault: (error) => {
      log.warn({ err: error }, 'a frame could not be decoded');
      ending.fail({
        reason: 'undecodable_frame',
        detail: 'The network sent something that cannot be decoded.',
      });
    },
  });
  ws.on('unexpected-response', (_request, response) => {
    const detail = `The network refused the connection (HTTP ${response.statusCode}).`;
    ending.fail({ reason: 'network_unreachable', detail });
  });
}

function listenToStanzas(connection: Connection, listener: Listener): void {
  const { clock, log, ending, watchdog, emit } = listener;
  const { sock, journal, sender, receipts, devices, contacts, groupCache } = connection;
  const { ws } = sock;
  ws.on('frame', (frame: unknown) => {
    if (!isQuery(frame)) watchdog.stanzaCame();
  });
  ws.prependListener('CB:message', (node: BinaryNode) => journal.note(node));
  ws.on('CB:ack,class:message', (node: BinaryNode) => sender.onAck(node));
  ws.on('CB:ack,class:receipt', (node: BinaryNode) => receipts.onAck(node));
  ws.on('CB:receipt', (node: BinaryNode) => {
    for (const event of statusesIn(sock, node, clock.now())) emit(event);
  });
  ws.on('CB:notification,type:devices', (node: BinaryNode) => devices.onNotification(node));
  ws.on('CB:notification,type:account_sync', () => {
    const { me } = sock.authState.creds;
    for (const jid of [me?.id, me?.lid]) devices.cache.del(jidDecode(jid)?.user ?? '');
  });
  ws.on('CB:notification,type:w:gp2', (node: BinaryNode) => {
    emit({ type: 'group-changed', jid: groupCache.onNotification(node) });
  });
  ws.on('CB:notification,type:picture', (node: BinaryNode) => {
    const jid = pictureOwner(node);
    if (jid) emit({ type: 'picture-changed', jid });
  });
  ws.on('CB:notification,type:contacts', (node: BinaryNode) => {
    const pair = changedNumber(node);
    if (!pair) return;
    contacts.fromPair(pair, 'number-change');
    noteNumber(sock, pair).catch((err: unknown) => log.warn({ err }, 'changed number not noted'));
  });
  for (const farewell of FAREWELLS) ws.on(farewell, () => ending.cutSoon(sock));
}

function listenToEvents({ sock: { ev }, contacts }: Connection, listener: Listener): void {
  const { clock, emit } = listener;
  ev.on('connection.update', (update) => listener.onUpdate(update));
  ev.on('creds.update', () => listener.onCredentials());
  ev.on('contacts.upsert', (learnt) => contacts.fromPhone(learnt));
  ev.on('contacts.update', (learnt) => contacts.fromPhone(learnt));
  ev.on('lid-mapping.update', ({ lid, pn }) => contacts.fromPair({ lid, pn }, 'mapping'));
  ev.on('messages.upsert', ({ messages, requestId }) => {
    // what the phone sent again because it could not be decrypted here; all else comes from the journal
    if (!requestId) return;
    const now = clock.now();
    for (const message of messages.flatMap((each) => resentMessage(each, now) ?? [])) {
      emit({ type: 'message', message });
    }
  });
}

/** An answer, or a question that keeps the connection alive: proof of the connection, but no news of the account. */
function isQuery(frame: unknown): boolean {
  return typeof frame === 'object' && frame !== null && 'tag' in frame && frame.tag === 'iq';
}
