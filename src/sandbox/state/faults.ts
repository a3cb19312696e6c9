import { randomBytes } from 'node:crypto';
import type { FaultKind, FaultRequest, PairingStep } from '../../contract/sandbox/index.js';
import { PAIRING_STEPS } from '../../contract/sandbox/linking.js';
import type { Clock, EpochMs } from '../../domain/clock.js';
import { deviceRemoved, failure, NETWORK_JID, type Stanza, stanza } from '../wire/stanza.js';
import type { Account, ClientConnection, Companion } from './account.js';
import { LOGIN_FAILURES } from './login-failures.js';
import { PASSKEY_FAULTS } from './passkey-faults.js';

const GARBAGE_BYTES = 64;
/** A list header with a length that no element follows: no decoder accepts it. */
const UNDECODABLE = Buffer.from([0, 0xf9, 0xff, 0xff]);

/** The reason of a temporary ban, for instance "sent to too many people" (whatsmeow `TempBanReason`). */
const SENT_TO_TOO_MANY = '101';

/** Whom a fault strikes, and when. */
interface Struck {
  companion: Companion;
  /** Milliseconds until the fault ends by itself. */
  leftMs: number;
  now: EpochMs;
}

/** Tells a client to ask again for something, and to say so with `clean` (whatsapp-rust `handlers/ib.rs`, Baileys rc14 `chats.ts`). */
function dirty(type: string, now: EpochMs): Stanza {
  const timestamp = String(Math.floor(now / 1_000));
  return stanza('ib', { from: NETWORK_JID }, [stanza('dirty', { type, timestamp })]);
}

/** One way in which the network can be disturbed. */
interface Fault {
  /** For the documentation. */
  description: string;
  /**
   * Acts on the connections of linked devices: at once on the open ones, else on the next logins while the count
   * lasts. A fault without it changes answers only, where the network asks `FaultBoard.take`.
   */
  strike?(connection: ClientConnection, struck: Struck): void;
  /** Strikes instead of the login's success; other faults strike right after it. */
  refusesLogin?: true;
  /** Acts before the client has named a number, so an order cannot name one either. */
  isNumberless?: true;
  /** An order must say how many milliseconds. */
  takesTime?: true;
  /** Ends `ms` milliseconds after the order. */
  ends?: true;
  /** The fault that it is another name of. */
  sameAs?: FaultKind;
  /** An order must name a step of linking. */
  takesStep?: true;
  /** Uses when the order names no count; without it, the fault lasts until it is cleared. */
  defaultCount?: number;
}

/** Every fault, by its name in the control API. */
export const FAULTS = {
  ...LOGIN_FAILURES,
  ...PASSKEY_FAULTS,
  'app-state-conflict': {
    description:
      'The phone changes a shared setting just before a device does, and the upload of the device is refused (409)',
    defaultCount: 1,
  },
  'ask-again': {
    description: 'A phone does not read a message that it gets, and asks its author to send it again',
    defaultCount: 1,
  },
  conflict: {
    description: 'Another client took the link (stream error, conflict replaced)',
    defaultCount: 1,
    strike: (connection) => connection.replace(),
  },
  'cut-pairing': {
    description: `Cuts the connection of a device that is being linked before the \`step\`: ${PAIRING_STEPS.join(', ')}`,
    takesStep: true,
    defaultCount: 1,
  },
  delay: {
    description: 'The network handles each stanza of a client `ms` milliseconds late',
    takesTime: true,
  },
  'device-removed': {
    description:
      'The phone removes the device, and the stream error has no code, only the conflict device_removed',
    defaultCount: 1,
    strike: (connection) => connection.unlink(deviceRemoved()),
  },
  disconnect: {
    description: 'Cuts the connection without a closing stanza',
    defaultCount: 1,
    strike: (connection) => connection.cut(),
  },
  'expired-certificate': {
    description: 'The certificates that the network shows in the handshake have expired',
    isNumberless: true,
  },
  'dirty-account': {
    description:
      'The network says that the account has changed while the client was away (`<ib><dirty type="account_sync">`)',
    defaultCount: 1,
    strike: (connection, { now }) => connection.send(dirty('account_sync', now)),
  },
  'dirty-groups': {
    description:
      'The network says that groups have changed while the client was away (`<ib><dirty type="groups">`)',
    defaultCount: 1,
    strike: (connection, { now }) => connection.send(dirty('groups', now)),
  },
  'drop-acks': { description: 'Messages are delivered, but the sender never gets the ack' },
  'drop-receipts': {
    description: 'Receipts for messages of the number are lost: its devices do not learn that they arrived',
  },
  'garbage-frames': {
    description: 'Sends a correctly encrypted frame that is no stanza',
    defaultCount: 1,
    strike: (connection) => connection.sendRaw(Buffer.concat([UNDECODABLE, randomBytes(GARBAGE_BYTES)])),
  },
  'ignore-app-state': { description: 'Queries about names and settings of chats are never answered' },
  'ignore-queries': { description: 'Device queries (usync) are never answered' },
  'ignore-restrictions': { description: 'Queries about restrictions of the account are never answered' },
  'late-resend': {
    description:
      'The phone answers a device that asks for messages it could not read `ms` milliseconds late, as one that sleeps',
    takesTime: true,
  },
  logout: {
    description: 'The phone removes the device (stream error 401), and it stays unlinked',
    defaultCount: 1,
    strike: (connection) => connection.unlink(deviceRemoved('401')),
  },
  'media-host-down': {
    description: 'The first media host answers uploads with HTTP 503; the second one takes them',
  },
  'no-version-page': {
    description:
      '`GET /sw.js`, where clients look up the current version, is answered with HTTP 503, `ms` milliseconds late',
    isNumberless: true,
  },
  'new-chat-cap': {
    description:
      'The account has begun as many chats as it may in this cycle, which ends in `ms` milliseconds if given: linked devices are told, and can ask; messages pass',
    ends: true,
  },
  'new-chat-limit': {
    description: 'Another name of the fault `new-chat-cap`',
    ends: true,
    sameAs: 'new-chat-cap',
  },
  'new-chat-warning': {
    description:
      'The account comes near the number of chats that it may begin in this cycle, which ends in `ms` milliseconds if given: linked devices are told (FIRST_WARNING), and can ask; messages pass',
    ends: true,
  },
  'new-chat-second-warning': {
    description:
      'The account comes nearer to the number of chats that it may begin in this cycle, which ends in `ms` milliseconds if given: linked devices are told (SECOND_WARNING), and can ask; messages pass',
    ends: true,
  },
  'no-device-news': {
    description:
      'Nobody is told when devices of the number are linked or unlinked, or when WhatsApp is installed anew',
  },
  'no-keys': {
    description:
      'The server has no keys of the linked devices of the number: nobody can open a session with them',
  },
  'no-lid-chats': {
    description:
      'The private chats of the account have not been moved to LIDs: a message to a LID is refused (400)',
  },
  'no-resend': {
    description: 'The phone does not answer a device that asks for messages it could not read',
  },
  'no-pairing-code': { description: 'A device that asks to be linked by code is refused (429)' },
  'offline-batches': {
    description:
      'A client that connects gets five stanzas of its offline queue, and the others only as it asks for them (`offline_batch`); live stanzas come after the queue',
  },
  'refresh-lid': {
    description: "The acknowledgement of a private message says that the recipient's LID is outdated",
    defaultCount: 1,
  },
  'refresh-at-scan': {
    description:
      'The network answers the scan of a QR by asking the device for another one (companion_reg_refresh): the phone refuses the scan, and the same secret from then on',
    defaultCount: 1,
  },
  'refuse-companion-finish': {
    description: "The network refuses a device's last step of linking by code (400)",
    defaultCount: 1,
  },
  'refuse-resume': {
    description:
      'A client that resumes its handshake gets a full one (Noise XXfallback), as after a change of the key',
    isNumberless: true,
  },
  'refuse-upgrade': {
    description: 'Every WebSocket upgrade is answered with HTTP 503',
    isNumberless: true,
  },
  'reachout-lock': {
    description:
      'The account has a time lock, for `ms` milliseconds if given: a private message without the valid token of its recipient is refused (463); linked devices are told, and can ask',
    ends: true,
  },
  'reject-media': { description: 'Uploads of media are answered with HTTP 500' },
  'reject-sends': { description: 'Messages are answered with a negative ack (479) and are not delivered' },
  'repeat-pair-success': {
    description: 'The network sends `pair-success` again after the device has answered it',
    defaultCount: 1,
  },
  'replay-primary-hello': {
    description:
      'The network repeats the first step of the phone after the device has finished linking by code',
    defaultCount: 1,
  },
  'restart-required': {
    description: 'Asks the client to connect again (stream error 515)',
    defaultCount: 1,
    strike: (connection) => connection.close(stanza('stream:error', { code: '515' })),
  },
  'service-unavailable': {
    description: 'Stream error 503 while connected, failure 503 at login',
    defaultCount: 1,
    refusesLogin: true,
    strike: (connection) =>
      connection.close(connection.companion ? stanza('stream:error', { code: '503' }) : failure('503')),
  },
  'token-required': {
    description:
      'A private message without a valid token, or a first-contact token, is refused (463), though the account has no time lock',
  },
  silence: {
    description: 'The connection stays open, but the network neither reads nor sends on it',
    defaultCount: 1,
    strike: (connection) => connection.mute(),
  },
  'temporary-ban': {
    description:
      'The number is banned for `ms` milliseconds: failure 402 with the seconds left, at once and at each login',
    takesTime: true,
    ends: true,
    refusesLogin: true,
    strike: (connection, { leftMs }) =>
      connection.close(failure('402', { code: SENT_TO_TOO_MANY, expire: String(Math.ceil(leftMs / 1000)) })),
  },
  'wrong-certificate': {
    description: 'The certificates that the network shows in the handshake come from another root',
    isNumberless: true,
  },
  'wrong-certificate-key': {
    description: 'The certificate that the network shows in the handshake names another key than its own',
    isNumberless: true,
  },
  'wrong-pair-hmac': {
    description: 'The HMAC in `pair-success` is not made with the secret of the QR or the code',
    defaultCount: 1,
  },
  'wrong-pair-signature': {
    description: 'The signature in `pair-success` is not that of the phone',
    defaultCount: 1,
  },
} as const satisfies Record<FaultKind, Fault>;

interface Order {
  kind: FaultKind;
  step: PairingStep | undefined;
  account: Account | undefined;
  /** Infinity: until the fault is cleared. */
  left: number;
  ms: number;
  /** Undefined when it does not end by time. */
  endsAt: EpochMs | undefined;
}

/** The faults that are ordered and not used up. */
export class FaultBoard {
  readonly #clock: Clock;
  #orders: Order[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Orders a fault. One that can strike does so at once on those of the open connections that it is meant for. */
  order(
    kind: FaultKind,
    { count, ms = 0, step }: Pick<FaultRequest, 'count' | 'ms'> & { step?: PairingStep | undefined },
    connections: Iterable<ClientConnection>,
    account?: Account,
  ): void {
    const { strike, ends, takesTime, defaultCount = Number.POSITIVE_INFINITY, sameAs = kind } = faultOf(kind);
    const endsAt = ends && (takesTime || ms > 0) ? this.#clock.now() + ms : undefined;
    const order: Order = { kind: sameAs, step, account, left: count ?? defaultCount, ms, endsAt };
    const targets = [...connections].filter(
      ({ companion, isClosed }) =>
        companion && !isClosed && (account === undefined || companion.account === account),
    );
    if (strike && targets.length > 0) {
      for (const connection of targets) this.#strike(order, connection, connection.companion);
      order.left--;
    }
    if (order.left > 0) this.#orders.push(order);
  }

  /** Uses a fault once; undefined when it is not ordered for the account. */
  take(kind: FaultKind, account?: Account): { ms: number } | undefined {
    return this.#use((order) => order.kind === kind && isMeant(order, account));
  }

  /** Whether a fault is ordered for the account, without using it. */
  peek(kind: FaultKind, account: Account): { endsAt: number | undefined } | undefined {
    const now = this.#clock.now();
    return this.#orders.find(
      (order) =>
        order.kind === kind && isMeant(order, account) && (order.endsAt ?? Number.POSITIVE_INFINITY) > now,
    );
  }

  /** Cuts a connection before a step of linking, when that is ordered. @returns true when the connection is cut */
  cutPairing(connection: ClientConnection, step: PairingStep, account?: Account): boolean {
    const order = this.#use(
      (one) => one.kind === 'cut-pairing' && one.step === step && isMeant(one, account),
    );
    if (order) connection.cut();
    return order !== undefined;
  }

  /** Lets a fault strike a login instead of its success. @returns true when the login is refused */
  refuseLogin(connection: ClientConnection, companion: Companion): boolean {
    return this.#strikeLogin(connection, companion, true);
  }

  /** Lets a fault strike a connection that has just logged in. */
  afterLogin(connection: ClientConnection, companion: Companion): void {
    this.#strikeLogin(connection, companion, false);
  }

  clear(): void {
    this.#orders = [];
  }

  #strikeLogin(connection: ClientConnection, companion: Companion, refusing: boolean): boolean {
    const order = this.#use((one) => {
      const { strike, refusesLogin = false } = faultOf(one.kind);
      return strike !== undefined && refusesLogin === refusing && isMeant(one, companion.account);
    });
    if (order) this.#strike(order, connection, companion);
    return order !== undefined;
  }

  #strike({ kind, endsAt = 0 }: Order, connection: ClientConnection, companion?: Companion): void {
    if (!companion) return;
    const now = this.#clock.now();
    faultOf(kind).strike?.(connection, { leftMs: Math.max(0, endsAt - now), companion, now });
  }

  #use(matches: (order: Order) => boolean): Order | undefined {
    const now = this.#clock.now();
    this.#orders = this.#orders.filter(({ endsAt = Number.POSITIVE_INFINITY }) => endsAt > now);
    const order = this.#orders.find(matches);
    if (order && --order.left <= 0) this.#orders = this.#orders.filter((other) => other !== order);
    return order;
  }
}

/** The fault of a name. */
export function faultOf(kind: FaultKind): Fault {
  return FAULTS[kind];
}

function isMeant({ account }: Order, asked: Account | undefined): boolean {
  return account === undefined || account === asked;
}
