import { AsyncResource } from 'node:async_hooks';
import { type AuthenticationCreds, proto, type WASocket } from '@whiskeysockets/baileys';
import type { Clock } from '../../domain/clock.js';
import type { Logger } from '../../log.js';
import type { LinkEvent, LinkKeys, LinkOptions } from '../link.js';
import { AppState } from './app-state.js';
import { CredentialSaver, makeKeyStore } from './auth-state.js';
import { Contacts } from './contacts.js';
import { Devices } from './devices.js';
import { cachedMetadata, GroupCache } from './groups/group-cache.js';
import { Groups } from './groups/groups.js';
import { isFromOwn, noticeIn } from './history/notice.js';
import { isHistoryWanted } from './history/wanted.js';
import { isFinishedPairing } from './identity.js';
import { Journal, type LiveStanza } from './journal.js';
import { libraryLog } from './log-bridge.js';
import { MediaHostList } from './media/hosts.js';
import type { MediaRoute } from './media/route.js';
import { Uploader } from './media/upload.js';
import { ReadReceipts } from './read-receipts.js';
import { Sender } from './send.js';
import { guardWire, keepTokenNotes, type NetworkAddress, openSocket } from './socket.js';

/** What every link of one network shares. */
export interface LinkSurroundings {
  network: NetworkAddress;
  media: MediaRoute;
  log: Logger;
  clock: Clock;
  qrLifetimeMs?: number;
  /** Milliseconds between two pings of a link; the watchdog's own time when not given. */
  pingEveryMs?: number;
}

/** What exists while there is a socket. */
export interface Connection {
  sock: WASocket;
  sender: Sender;
  receipts: ReadReceipts;
  appState: AppState;
  saver: CredentialSaver;
  journal: Journal;
  devices: Devices;
  contacts: Contacts;
  groups: Groups;
  groupCache: GroupCache;
  wasPaired: boolean;
  /** Aborted when the connection has ended. */
  ended: AbortController;
}

export interface ConnectionParts {
  keys: LinkKeys;
  creds: AuthenticationCreds;
  emit(event: LinkEvent): void;
  onDecrypted(stanza: LiveStanza): void;
  /** The library holds everything up and cannot be stopped. */
  onStuck(): void;
}

/** Opens a socket with everything that works on it; nothing listens to it yet. */
export function makeConnection(
  options: LinkOptions,
  around: LinkSurroundings,
  parts: ConnectionParts,
): Connection {
  const { clock, log, media, network, qrLifetimeMs } = around;
  const { keys, creds, emit, onDecrypted, onStuck } = parts;
  const outside = new AsyncResource('switchboard.link');
  const journal = new Journal({
    outside,
    keys,
    clock,
    announcesHistory: (attrs, plain) =>
      isHistoryWanted(creds) && isFromOwn(attrs, creds.me) && noticeIn(attrs, plain) !== undefined,
    onDecrypted,
  });
  const devices = new Devices(clock);
  const sock = openSocket(network, {
    auth: { creds, keys: makeKeyStore(keys, () => journal.forgetSessions()) },
    logger: libraryLog(log.child({ area: 'baileys', clientId: options.clientId })),
    makeSignalRepository: journal.makeRepository,
    userDevicesCache: devices.cache,
    cachedGroupMetadata: cachedMetadata(() => groupCache),
    options: requestOptions(media),
    ...(qrLifetimeMs && { qrTimeout: qrLifetimeMs }),
    getMessage: (key) => findSent(options, key.id),
  });
  keepTokenNotes(sock, outside);
  guardWire(sock, options.mayAct);
  const contacts = new Contacts(emit);
  const groupCache: GroupCache = new GroupCache(sock.groupMetadata);
  const ended = new AbortController();
  const uploader = new Uploader(new MediaHostList(sock, clock), media, ended.signal);
  return {
    sock,
    sender: new Sender({ sock, devices, uploader, clock, emit }),
    receipts: new ReadReceipts(sock, clock),
    appState: new AppState({ sock, clock, onStuck }),
    saver: new CredentialSaver(keys, creds),
    journal,
    devices,
    contacts,
    groups: new Groups(sock, groupCache, (metadata) => contacts.fromGroup(metadata.participants)),
    groupCache,
    wasPaired: isFinishedPairing(creds),
    ended,
  };
}

/** Ends what waits for the network, and resolves when everything that was learnt is written. */
export async function releaseConnection({ sender, receipts, saver, ended }: Connection): Promise<void> {
  sender.stop();
  receipts.stop();
  ended.abort();
  await saver.flush();
}

/** For what the library fetches by itself. Its types know another version of undici, its code takes any. */
function requestOptions({ dispatcher }: MediaRoute): RequestInit {
  const options: RequestInit = {};
  Reflect.set(options, 'dispatcher', dispatcher);
  return options;
}

async function findSent(
  { findSent }: LinkOptions,
  messageId: string | null | undefined,
): Promise<proto.IMessage | undefined> {
  const bytes = messageId ? await findSent(messageId) : undefined;
  return bytes && proto.Message.decode(bytes);
}
