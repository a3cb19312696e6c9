import {
  type BinaryNode,
  type ConnectionState,
  getBinaryNodeChild,
  type WASocket,
} from '@whiskeysockets/baileys';
import { STATUS_JID } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { isObject } from '../../../domain/json.js';
import { reason } from '../../../domain/reasons.js';
import type { Logger } from '../../log.js';
import type { LinkEvent } from '../link.js';
import { settingsIn } from './app-state.js';
import { callStepIn } from './calls.js';
import { channelPostIn } from './channel-posts.js';
import type { Connection } from './connection.js';
import { changedNumber, noteNumber, pictureOwner } from './contacts.js';
import type { Ending, Watchdog } from './ending.js';
import { guardListeners } from './faults.js';
import { groupUpdatesIn, pictureUpdateIn } from './group-updates.js';
import { HandshakeQueue } from './handshake-queue.js';
import { OfflineQueue } from './offline-queue.js';
import { isIgnoredJid } from './posts.js';
import { presenceIn } from './presence.js';
import { statusesIn } from './receipts.js';

/** Stanzas after which the library closes the connection, and then waits for a peer that may have gone. */
const FAREWELLS = ['CB:stream:error', 'CB:failure', 'CB:xmlstreamend', 'CB:ib,,downgrade_webclient'];

/** Pre-keys that WhatsApp Web uploads when the network has few left (whatsapp-rust `prekeys.rs`, zapo `constants.ts`). */
const PRE_KEYS = 812;

/** The objects that receive the reports of a connection. */
interface Listener {
  clock: Clock;
  log: Logger;
  ending: Ending;
  watchdog: Watchdog;
  /** @returns false if the owner has closed the link, and is not told */
  emit(event: LinkEvent): boolean;
  wantsStatuses(): boolean;
  onUpdate(update: Partial<ConnectionState>): void;
  onCredentials(): void;
}

/** Listens to a new connection. Must be called in the tick in which it was made. */
export function listen(connection: Connection, listener: Listener): void {
  connection.pairing?.listen();
  guard(connection, listener);
  listenToStanzas(connection, listener);
  listenToEvents(connection, listener);
}

function guard(connection: Connection, listener: Listener): void {
  const { ws } = connection.sock;
  const { handled, ended } = connection;
  const { log, ending } = listener;
  const handshakes = new HandshakeQueue(ws, ended.signal);
  guardListeners(ws, {
    isHandled: (event, data) => {
      if (event !== 'message') return isObject(data) && handled.has(data);
      return handshakes.holds(data) || isFromStranger(data, connection, listener);
    },
    stanzaFault: (error, event) => log.warn({ err: error, event }, 'a stanza could not be processed'),
    frameFault: (error) => {
      log.warn({ err: error }, 'a frame could not be decoded');
      ending.fail({ reason: reason('undecodable_frame') });
    },
  });
  ws.on('unexpected-response', (_request, response) => {
    const answer = `HTTP ${response.statusCode}`;
    ending.fail({ reason: reason('network_unreachable', { kind: 'refused', answer }) });
  });
}

/** Ends the link before the library sees the frame of a server that is not the network's. Takes each frame once. */
function isFromStranger(
  frame: unknown,
  { certificate }: Connection,
  { clock, log, ending }: Listener,
): boolean {
  const fault = frame instanceof Uint8Array ? certificate.take(frame, clock.now()) : undefined;
  if (fault === undefined) return false;
  log.error({ fault }, 'the server is not trusted');
  ending.fail({ reason: reason('certificate_untrusted', { kind: fault }) });
  return true;
}

function listenToStanzas(connection: Connection, listener: Listener): void {
  const { clock, log, ending, watchdog, emit } = listener;
  const { sock, sender, receipts, resends, statusResends, salt, appState } = connection;
  const { devices, identityNews, contacts, groupCache, handled } = connection;
  const { ws } = sock;
  const offlineQueue = new OfflineQueue(sock, log);
  ws.on('frame', (frame: unknown) => {
    if (!isQuery(frame)) watchdog.stanzaCame();
    if (isStanza(frame)) offlineQueue.take(frame);
  });
  // at the first login the library has no name yet: it reads only the one of a business from the pairing
  ws.prependListener('CB:success', ({ attrs }: BinaryNode) => {
    const { me } = sock.authState.creds;
    if (me && !me.name && attrs.display_name) me.name = attrs.display_name;
  });
  ws.prependListener('CB:message', (node: BinaryNode) => takeMessage(node, connection, listener));
  ws.prependListener('CB:ack,class:message', (node: BinaryNode) => {
    if (sender.onAck(node)) handled.add(node);
  });
  ws.prependListener('CB:receipt', (node: BinaryNode) => {
    if (statusResends.takes(node) || resends.drops(node)) handled.add(node);
  });
  ws.on('CB:ack,class:receipt', (node: BinaryNode) => receipts.onAck(node));
  ws.on('CB:receipt', (node: BinaryNode) => {
    for (const event of statusesIn(sock, node, clock.now())) {
      sender.onReceipt(event, node.attrs.from);
      emit(event);
    }
  });
  ws.prependListener('CB:notification,type:devices', (node: BinaryNode) => {
    // the library would apply the change a second time
    handled.add(node);
    devices.onNotification(node);
    sock.sendMessageAck(node).catch((err: unknown) => log.debug({ err }, 'no ack sent'));
  });
  ws.prependListener('CB:notification,type:encrypt', (node: BinaryNode) => {
    // start the upload first: the library's own listener then finds it in flight and makes no smaller one
    if (getBinaryNodeChild(node, 'count'))
      sock.uploadPreKeys(PRE_KEYS).catch((err: unknown) => log.warn({ err }, 'no pre-keys uploaded'));
    // whoever installs WhatsApp anew has lost all linked devices
    devices.forget(identityNews.take(node));
  });
  ws.on('CB:iq,,sync', (node: BinaryNode) => {
    salt.onAnswer(node).catch((err: unknown) => log.debug({ err }, 'no salt read'));
  });
  ws.prependListener('CB:notification,type:server_sync', (node: BinaryNode) => {
    handled.add(node);
    appState.onNotification(node).catch((err: unknown) => log.warn({ err }, 'changes of chats not read'));
  });
  ws.on('CB:notification,type:account_sync', (node: BinaryNode) => {
    const { me } = sock.authState.creds;
    devices.onOwnNotification(node, [me?.id, me?.lid]);
  });
  ws.on('CB:call', (node: BinaryNode) => {
    const call = callStepIn(node, clock.now());
    if (call) emit({ type: 'call', call });
  });
  for (const tag of ['CB:presence', 'CB:chatstate']) {
    ws.on(tag, (node: BinaryNode) => {
      const presence = presenceIn(node);
      if (presence) emit(presence);
    });
  }
  ws.on('CB:notification,type:w:gp2', (node: BinaryNode) => {
    for (const update of groupUpdatesIn(node, clock.now())) emit({ type: 'group-update', update });
    emit({ type: 'group-changed', jid: groupCache.onNotification(node) });
  });
  ws.on('CB:notification,type:picture', (node: BinaryNode) => {
    const update = pictureUpdateIn(node, clock.now());
    if (update) emit({ type: 'group-update', update });
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

function listenToEvents(
  { sock: { ev }, contacts, unreadable, firstSync }: Connection,
  listener: Listener,
): void {
  const { log, emit } = listener;
  ev.on('connection.update', (update) => listener.onUpdate(update));
  ev.on('connection.update', ({ connection }) => {
    if (connection === 'open') firstSync.open();
  });
  ev.on('creds.update', ({ myAppStateKeyId }) => {
    listener.onCredentials();
    if (myAppStateKeyId) firstSync.begin();
  });
  ev.on('contacts.upsert', (learnt) => contacts.fromPhone(learnt));
  ev.on('contacts.update', (learnt) => contacts.fromPhone(learnt));
  ev.on('chats.update', (updates) => {
    for (const update of updates) {
      const settings = update.id && settingsIn(update);
      if (settings) emit({ type: 'chat-changed', chat: update.id ?? '', ...settings });
    }
  });
  ev.on('lid-mapping.update', ({ lid, pn }) => contacts.fromPair({ lid, pn }, 'mapping'));
  // use these events only for the phone's copies of messages that this device could not read; all others come from the journal
  ev.on('messages.upsert', ({ messages }) => {
    for (const message of messages) {
      unreadable
        .takeAnswer(message)
        .catch((err: unknown) => log.warn({ err }, "the phone's answer could not be used"));
    }
  });
}

/** Decides who handles a message stanza: the library only if there is a ciphertext. */
function takeMessage(
  node: BinaryNode,
  { sock, journal, order, unreadable, handled }: Connection,
  { clock, log, wantsStatuses, emit }: Listener,
): void {
  const again = () => {
    handled.delete(node);
    sock.ws.emit('CB:message', node);
  };
  const plain = plaintextOf(node);
  // the plaintext is in the journal: let the library send the receipt
  if (plain && handled.delete(node)) return;
  if (isPost(node) || (node.attrs.from === STATUS_JID && !wantsStatuses())) {
    handled.add(node);
    const post = channelPostIn(node, clock.now());
    // without an acknowledgement the network sends it again, to the next link
    if (post && !emit({ type: 'channel-post', post })) return;
    acknowledgePost(sock, node).catch((err: unknown) => log.debug({ err }, 'no ack sent'));
  } else if (order.holds(node, again)) handled.add(node);
  else if (plain) {
    handled.add(node);
    // queue behind the messages that the library is about to decrypt
    const taken = sock.messageMutex.mutex(() => journal.takePlain(node, plain));
    order.begin(node);
    taken
      .then(() => sock.ws.emit('CB:message', node))
      .catch((err: unknown) => log.warn({ err }, 'an unencrypted message was not kept'));
  } else if (unreadable.take(node)) {
    handled.add(node);
    order.begin(node);
  } else journal.note(node);
}

/** The content of a message that is not encrypted; undefined for any other. */
function plaintextOf({ attrs, content }: BinaryNode): Uint8Array | undefined {
  if (!Array.isArray(content) || attrs.category === 'peer') return undefined;
  const plain = content.find(({ tag }) => tag === 'plaintext')?.content;
  return plain instanceof Uint8Array && !content.some(({ tag }) => tag === 'enc') ? plain : undefined;
}

/** True for an answer or a keep-alive, which prove the connection but are no activity of the account. */
function isQuery(frame: unknown): boolean {
  return isStanza(frame) && frame.tag === 'iq';
}

/** False for the bytes of the handshake. */
function isStanza(frame: unknown): frame is BinaryNode {
  return isObject(frame) && typeof frame.tag === 'string' && isObject(frame.attrs);
}

/** True for a message stanza that is dropped: a post of a broadcast list or channel. */
export function isPost({ attrs }: Pick<BinaryNode, 'attrs'>): boolean {
  return isIgnoredJid(attrs.from);
}

/**
 * Acknowledges a post plainly. The library would send an error acknowledgement; the network then delivers that post again
 * at each connection and withholds the rest of the offline queue (Baileys PR #2779).
 */
export async function acknowledgePost(sock: WASocket, post: BinaryNode): Promise<void> {
  await sock.sendMessageAck(post);
}
