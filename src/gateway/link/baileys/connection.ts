import { AsyncResource } from 'node:async_hooks';
import { type AuthenticationCreds, proto, type WASocket } from '@whiskeysockets/baileys';
import { type Clock, endsWithin, type MonotonicClock } from '../../../domain/clock.js';
import { LIMITS } from '../../../domain/limits.js';
import type { Logger } from '../../log.js';
import type { LinkEvent, LinkKeys, LinkOptions } from '../link.js';
import { Account } from './account.js';
import { AppState } from './app-state.js';
import { CertificateCheck } from './certificate.js';
import { Channels } from './channels.js';
import { Contacts } from './contacts.js';
import { Devices } from './devices.js';
import { Fanout } from './fanout.js';
import { FirstSync } from './first-sync.js';
import { cachedMetadata, GroupCache } from './group-cache.js';
import { Groups } from './groups.js';
import { isFromOwn, noticeIn } from './history/part.js';
import { Identities, IdentityNews } from './identities.js';
import { InboundGate } from './inbound-gate.js';
import type { LiveStanza } from './incoming.js';
import { Journal } from './journal.js';
import { CredentialSaver, countReads, isFinishedPairing, makeKeyStore } from './keys.js';
import type { MediaRoute } from './media/route.js';
import { MediaHostList, Uploader } from './media/upload.js';
import { NumberFallback } from './number-fallback.js';
import { Pairing } from './pairing.js';
import { LidRefresh } from './people.js';
import { askForToken, messageTokens, tokensOf } from './privacy-tokens.js';
import type { Verdict } from './reasons.js';
import { ReadReceipts } from './receipts.js';
import { GroupResends } from './resends.js';
import { Restrictions } from './restrictions.js';
import { SaltSetting } from './salt-setting.js';
import { WireSender } from './send.js';
import { guardWire, keepTokenNotes, libraryLog, type NetworkAddress, openSocket } from './socket.js';
import { StanzaOrder } from './stanza-order.js';
import { type SentContent, StatusResends } from './status-resends.js';
import type { TunnelAgent } from './tunnel.js';
import { UnreadableStanzas } from './unreadable.js';

/** Dependencies shared by all links to one network. */
export interface LinkContext {
  network: NetworkAddress;
  media: MediaRoute;
  /** Connects through the session's proxy; undefined for direct connections. */
  agent: TunnelAgent | undefined;
  log: Logger;
  clock: MonotonicClock;
  /** Milliseconds that each QR code is valid; by default the library's times (60 s, then 20 s). */
  qrLifetimeMs?: number;
  /** Milliseconds between two pings of a link; 25 s by default. */
  pingEveryMs?: number;
  /** Milliseconds in which a proxy must have opened a connection; 15 s by default. */
  proxyTimeoutMs?: number;
}

/** A socket, with everything that works on it. */
export interface Connection {
  sock: WASocket;
  sender: WireSender;
  receipts: ReadReceipts;
  resends: GroupResends;
  statusResends: StatusResends;
  restrictions: Restrictions;
  salt: SaltSetting;
  appState: AppState;
  firstSync: FirstSync;
  account: Account;
  saver: CredentialSaver;
  gate: InboundGate;
  journal: Journal;
  order: StanzaOrder;
  unreadable: UnreadableStanzas;
  /** Stanzas that the library must not see. */
  handled: WeakSet<object>;
  devices: Devices;
  identityNews: IdentityNews;
  contacts: Contacts;
  groups: Groups;
  channels: Channels;
  groupCache: GroupCache;
  /** Verifies the server before anything is answered. */
  certificate: CertificateCheck;
  /** Undefined when the number was linked before. */
  pairing: Pairing | undefined;
  wasPaired: boolean;
  /** Aborted when the connection has ended. */
  ended: AbortController;
}

/** Opens a socket. The caller must listen to it in the same tick. */
export function makeConnection(
  options: LinkOptions,
  { clock, log, media, agent, network, qrLifetimeMs }: LinkContext,
  {
    keys: uncounted,
    creds,
    emit,
    onDecrypted,
    end,
    onStuck,
  }: {
    keys: LinkKeys;
    creds: AuthenticationCreds;
    emit(event: LinkEvent): void;
    /** @returns false when the content is no message */
    onDecrypted(stanza: LiveStanza): boolean;
    /** Ends the link with a closing handshake. */
    end(verdict: Verdict): void;
    /** Called when the library repeats a query without end, which blocks all sends. */
    onStuck(): void;
  },
): Connection {
  const outside = new AsyncResource('switchboard.link');
  const ended = new AbortController();
  const { keys, reads } = countReads(uncounted);
  const order = new StanzaOrder({ clock, me: () => creds.me, reads, ended: ended.signal });
  const gate = new InboundGate();
  const journal = new Journal({
    gate,
    outside,
    keys,
    clock,
    announcesHistory: (attrs, plain) => isFromOwn(attrs, creds.me) && noticeIn(attrs, plain) !== undefined,
    onBegun: (node) => order.begin(node),
    onDecrypted,
    onFailed: (stanza, error) => unreadable.takeFailed(stanza, error),
  });
  const unreadable = new UnreadableStanzas({
    sock: () => sock,
    ...{ keys, gate, clock },
    log,
    onUnreadable: (message) => emit({ type: 'unreadable', message }),
    onResent: onDecrypted,
  });
  const devices = new Devices(clock);
  const identities = new Identities(emit, clock);
  const opened = openSocket(network, options.version, {
    auth: { creds, keys: identities.watch(makeKeyStore(keys, () => journal.forgetSessions(), creds)) },
    logger: libraryLog(log.child({ area: 'baileys', clientId: options.clientId })),
    makeSignalRepository: journal.makeRepository,
    userDevicesCache: devices.cache,
    cachedGroupMetadata: cachedMetadata(() => groupCache),
    options: requestOptions(media),
    ...(agent && { agent, fetchAgent: agent }),
    ...(qrLifetimeMs && { qrTimeout: qrLifetimeMs }),
    getMessage: async (key) => (await findSent(options, key.id))?.content,
  });
  const { sock } = opened;
  keepTokenNotes(sock, outside);
  guardWire(sock, options.mayAct);
  const contacts = new Contacts(emit);
  const groupCache: GroupCache = new GroupCache(sock.groupMetadata);
  const fanout = new Fanout({ sock, devices, groups: groupCache, identities, clock });
  const lidRefresh = new LidRefresh(sock, (person) => contacts.fromPair(person, 'lookup'));
  const restrictions = new Restrictions(sock, clock, emit);
  const uploader = new Uploader(new MediaHostList(sock, clock), media, ended.signal);
  const saver = new CredentialSaver(keys, creds);
  const appState = new AppState(sock, clock, onStuck);
  const wasPaired = isFinishedPairing(creds);
  return {
    sock,
    certificate: new CertificateCheck(opened.ephemeral, network.rootKey),
    pairing: wasPaired ? undefined : new Pairing({ sock, clock, log, emit, end }, saver, qrLifetimeMs),
    sender: new WireSender({
      sock,
      fanout,
      fallback: new NumberFallback(sock, keys),
      restrictions,
      uploader,
      clock,
      emit,
      tokensFor: (to) => messageTokens(sock, keys, clock, to),
      askForToken: (to) => askForToken(sock, clock, to),
      refreshLid: (jid) => lidRefresh.note(jid),
    }),
    receipts: new ReadReceipts(sock, clock),
    resends: new GroupResends(sock, clock),
    statusResends: new StatusResends({ sock, clock, log, findSent: (id) => findSent(options, id) }),
    salt: new SaltSetting(sock, keys, requestOptions(media)),
    restrictions,
    appState,
    firstSync: new FirstSync(sock, requestOptions(media), log.child({ clientId: options.clientId })),
    account: new Account(sock, appState),
    saver,
    gate,
    journal,
    order,
    unreadable,
    handled: new WeakSet(),
    devices,
    identityNews: new IdentityNews(sock, clock),
    contacts,
    groups: new Groups(
      sock,
      groupCache,
      (metadata) => contacts.fromGroup(metadata.participants),
      (people) => tokensOf(sock, clock, people),
    ),
    channels: new Channels(sock, clock),
    groupCache,
    wasPaired,
    ended,
  };
}

/** Rejects all work that waits for the network. Resolves when the messages being read, and the credentials, are written. */
export async function releaseConnection(
  { pairing, sender, receipts, saver, gate, ended }: Connection,
  clock: Clock,
): Promise<void> {
  pairing?.stop();
  sender.stop();
  receipts.stop();
  ended.abort();
  gate.close();
  await endsWithin(clock, LIMITS.endGraceMs, gate.idle());
  await saver.flush();
}

/** The request options of the library's own downloads. Its types name another version of undici; its code accepts any. */
function requestOptions({ dispatcher }: MediaRoute): RequestInit {
  return Object.assign<RequestInit, object>({}, { dispatcher });
}

async function findSent(
  { findSent }: LinkOptions,
  messageId: string | null | undefined,
): Promise<SentContent | undefined> {
  const sent = messageId ? await findSent(messageId) : undefined;
  return sent && { ...sent, content: proto.Message.decode(sent.content) };
}
