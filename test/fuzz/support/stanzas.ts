import { deflateSync } from 'node:zlib';
import { encodeStanza, type Stanza, stanza } from '../../../src/sandbox/wire/stanza.js';
import { type Prng, strangeText } from './values.js';

/** Who the stanzas speak of. */
export interface Parties {
  /** The fuzzed session's own addresses, `…@lid` and `…@s.whatsapp.net`. */
  me: readonly string[];
  /** Of a person on the network. */
  friend: readonly string[];
}

type Make = (prng: Prng, parties: Parties) => Stanza;

/** Chance of a frame that is no stanza, and of a stanza that ends the connection: each costs a new one. */
const GARBAGE = 0.002;
const FAREWELL = 0.002;
/** Codes and reasons after which a session is to come back by itself. */
const PASSING_CODES = ['500', '503', '515', '516', '428', '0', 'x'];
const PASSING_REASONS = ['400', '413', '414', '500', '501', '503', 'x'];

/** A frame's bytes, made of random numbers: nearly always a stanza that a client might take seriously. */
export function makeFrame(prng: Prng, parties: Parties): Buffer {
  if (prng.chance(GARBAGE)) return garbage(prng, parties);
  const make = prng.chance(FAREWELL) ? prng.pick(FAREWELLS) : prng.pick(STANZAS);
  return encodeStanza(spoil(prng, make(prng, parties), 0));
}

function garbage(prng: Prng, parties: Parties): Buffer {
  const whole = encodeStanza(message(prng, parties));
  const way = prng.int(0, 4);
  if (way === 0) return prng.bytes(prng.int(1, 300));
  if (way === 1) return whole.subarray(0, prng.int(1, whole.length - 1));
  if (way === 2) return Buffer.concat([Buffer.of(2), prng.bytes(40)]);
  if (way === 3) return Buffer.concat([Buffer.of(2), deflateSync(prng.bytes(100))]);
  const broken = Buffer.from(whole);
  broken[prng.int(1, broken.length - 1)] = prng.int(0, 255);
  return broken;
}

const FAREWELLS: readonly Make[] = [
  (prng) => stanza('stream:error', { code: prng.pick(PASSING_CODES) }),
  () => stanza('stream:error', {}, [stanza('xml-not-well-formed')]),
  () => stanza('xmlstreamend'),
  (prng) => stanza('failure', { reason: prng.pick(PASSING_REASONS), location: 'frc' }),
  // no `pair-device`: to a linked device it says that the network does not know it any more
  (prng) =>
    stanza('iq', { from: '@s.whatsapp.net', id: id(prng), type: 'set', xmlns: 'md' }, [
      stanza('pair-success', {}, [
        stanza('device-identity', {}, prng.bytes(80)),
        stanza('device', {}),
        stanza('platform', {}),
      ]),
    ]),
];

const message: Make = (prng, parties) =>
  stanza(
    'message',
    {
      ...from(prng, parties),
      id: id(prng),
      type: prng.pick(['text', 'media', 'poll', 'reaction', 'medianotify']),
      t: time(prng),
      notify: maybe(prng, 'Somebody'),
      offline: prng.chance(0.1) ? String(prng.int(0, 9)) : undefined,
      category: prng.chance(0.1) ? 'peer' : undefined,
      edit: prng.chance(0.1) ? prng.pick(['1', '7', '8']) : undefined,
      addressing_mode: prng.chance(0.3) ? prng.pick(['lid', 'pn']) : undefined,
    },
    some(prng, 2, [
      () => encrypted(prng),
      () => encrypted(prng),
      () => stanza('plaintext', {}, prng.bytes(20)),
      () => stanza('unavailable', { type: prng.pick(['view_once', 'x']) }),
      () => stanza('device-identity', {}, prng.bytes(60)),
      () => stanza('meta', { appdata: 'default', target_id: id(prng) }),
    ]),
  );

const receipt: Make = (prng, parties) =>
  stanza(
    'receipt',
    {
      ...from(prng, parties),
      id: id(prng),
      type: prng.chance(0.2)
        ? undefined
        : prng.pick(['read', 'read-self', 'played', 'retry', 'retry', 'sender', 'inactive', 'server-error']),
      t: time(prng),
    },
    some(prng, 2, [
      () => stanza('retry', { count: String(prng.int(0, 9)), id: id(prng), t: time(prng), v: '1' }),
      () => stanza('registration', {}, prng.bytes(4)),
      () => stanza('list', {}, [stanza('item', { id: id(prng) })]),
      () =>
        stanza('keys', {}, [
          stanza('type', {}, prng.bytes(1)),
          stanza('identity', {}, prng.bytes(32)),
          stanza('skey', {}, [stanza('id', {}, prng.bytes(3)), stanza('value', {}, prng.bytes(32))]),
        ]),
    ]),
  );

const NOTIFICATIONS = [
  'encrypt',
  'devices',
  'account_sync',
  'w:gp2',
  'picture',
  'server_sync',
  'mediaretry',
  'link_code_companion_reg',
  'privacy_token',
  'newsletter',
  'mex',
  'status',
  'contacts',
  'business',
  'psa',
];

const notification: Make = (prng, parties) =>
  stanza(
    'notification',
    { ...from(prng, parties), id: id(prng), type: prng.pick(NOTIFICATIONS), t: time(prng) },
    some(prng, 2, [
      () => stanza('count', { value: String(prng.int(0, 30)) }),
      () => stanza('identity', {}),
      () => stanza(prng.pick(['add', 'remove', 'update']), { device_hash: '2:x' }, [device(prng, parties)]),
      () => stanza('devices', { dhash: '2:x' }, [device(prng, parties)]),
      () => stanza('collection', { name: prng.pick(['regular', 'critical_block', 'x']), version: '9' }),
      () => stanza('set', { jid: person(prng, parties), id: '1' }),
      () => stanza('delete', { jid: person(prng, parties) }),
      () => stanza('subject', { subject: strangeText(prng).slice(0, 50), s_t: time(prng) }),
      () => stanza('create', {}, [stanza('group', { id: '1203', creation: time(prng), subject: 'x' })]),
      () => stanza('participant', { jid: person(prng, parties), type: 'admin' }),
      () => stanza('disappearing_mode', { duration: prng.pick(['0', 'x']), t: time(prng) }),
      () => stanza('blocklist', {}, [stanza('item', { action: 'block', jid: person(prng, parties) })]),
      () =>
        stanza('tokens', {}, [stanza('token', { type: 'trusted_contact', t: time(prng) }, prng.bytes(9))]),
      () =>
        stanza('encrypt', {}, [stanza('enc_p', {}, prng.bytes(50)), stanza('enc_iv', {}, prng.bytes(12))]),
      () => stanza('link_code_companion_reg', { stage: 'primary_hello' }, [stanza('x', {}, prng.bytes(80))]),
    ]),
  );

const STANZAS: readonly Make[] = [
  message,
  message,
  message,
  receipt,
  receipt,
  notification,
  notification,
  (prng, parties) =>
    stanza('ack', {
      ...from(prng, parties),
      id: id(prng),
      class: prng.pick(['message', 'receipt', 'notification', 'call']),
      error: prng.chance(0.5) ? prng.pick(['463', '479', '500', 'x']) : undefined,
      phash: maybe(prng, '2:abcdefgh'),
    }),
  (prng, parties) =>
    stanza(
      'iq',
      {
        id: prng.chance(0.5) ? id(prng) : `1.${prng.int(0, 99)}-${prng.int(0, 300)}`,
        from: '@s.whatsapp.net',
        type: prng.pick(['result', 'error', 'get', 'set']),
        xmlns: prng.chance(0.2) ? undefined : prng.pick(['urn:xmpp:ping', 'md', 'w:sync:app:state', 'usync']),
      },
      some(prng, 1, [
        () => stanza('error', { code: prng.pick(['401', '404', '503']), text: 'x' }),
        () => stanza('usync', {}, [stanza('list', {}, [stanza('user', { jid: person(prng, parties) })])]),
        () =>
          stanza('list', {}, [
            stanza('user', { jid: person(prng, parties) }, [stanza('registration', {}, prng.bytes(4))]),
          ]),
        () => stanza('count', { value: '0' }),
      ]),
    ),
  (prng, parties) =>
    stanza(
      'ib',
      { from: '@s.whatsapp.net' },
      some(prng, 1, [
        () => stanza('dirty', { type: prng.pick(['account_sync', 'groups', 'x']), timestamp: time(prng) }),
        () => stanza('offline', { count: String(prng.int(0, 9)) }),
        () => stanza('offline_preview', { count: 'x' }),
        () => stanza('edge_routing', {}, [stanza('routing_info', {}, prng.bytes(10))]),
        () => stanza('thread_metadata', {}, [stanza('item', { from: person(prng, parties) })]),
      ]),
    ),
  (prng, parties) =>
    stanza('call', { ...from(prng, parties), id: id(prng), t: time(prng) }, [
      stanza(
        prng.pick(['offer', 'terminate', 'accept', 'reject', 'relaylatency', 'x']),
        { 'call-id': id(prng), 'call-creator': person(prng, parties) },
        some(prng, 1, [() => stanza('video')]),
      ),
    ]),
  (prng, parties) =>
    stanza('presence', {
      ...from(prng, parties),
      type: maybe(prng, 'unavailable'),
      last: prng.pick(['deny', time(prng)]),
    }),
  (prng, parties) =>
    stanza('chatstate', from(prng, parties), [
      stanza(prng.pick(['composing', 'paused', 'x']), { media: maybe(prng, 'audio') }),
    ]),
  (prng) => stanza(strangeText(prng).slice(0, 50) || 'x', { id: id(prng) }, prng.bytes(prng.int(0, 50))),
];

/** Changes a stanza here and there: attributes, children, content. */
function spoil(prng: Prng, made: Stanza, depth: number): Stanza {
  const attrs = { ...made.attrs };
  for (const name of Object.keys(attrs)) {
    const change = prng.fraction();
    if (change < 0.03) delete attrs[name];
    else if (change < 0.06) attrs[name] = strangeText(prng).slice(0, 300);
  }
  const { content } = made;
  if (!Array.isArray(content))
    return prng.chance(0.03) ? { ...made, attrs, content: prng.bytes(prng.int(0, 99)) } : { ...made, attrs };
  const children = content.map((child) => spoil(prng, child, depth + 1));
  if (prng.chance(0.03)) return { ...made, attrs, content: strangeText(prng).slice(0, 100) };
  return { ...made, attrs, content: prng.chance(0.03) ? [...children, ...children] : children };
}

function from(prng: Prng, parties: Parties): Record<string, string | undefined> {
  const isGroup = prng.chance(0.2);
  return {
    from: isGroup
      ? prng.pick(['120363000000000001@g.us', 'status@broadcast', '1@newsletter'])
      : person(prng, parties),
    participant: isGroup || prng.chance(0.1) ? person(prng, parties) : undefined,
    recipient: prng.chance(0.1) ? person(prng, parties) : undefined,
    sender_lid: prng.chance(0.1) ? person(prng, parties) : undefined,
    sender_pn: prng.chance(0.1) ? person(prng, parties) : undefined,
  };
}

/** Strangers more often than those whom we know. */
function person(prng: Prng, { me, friend }: Parties): string {
  const which = prng.fraction();
  const device = prng.chance(0.2) ? `:${prng.int(0, 99)}` : '';
  if (which < 0.1) return prng.pick(me).replace('@', `${device}@`);
  if (which < 0.2) return prng.pick(friend).replace('@', `${device}@`);
  if (which < 0.25) return '@s.whatsapp.net';
  return `${prng.int(10_000_000, 10_000_300)}${device}@${prng.pick(['lid', 's.whatsapp.net'])}`;
}

function encrypted(prng: Prng): Stanza {
  const type = prng.pick(['pkmsg', 'msg', 'skmsg', 'msmsg', 'x']);
  return stanza(
    'enc',
    { v: prng.pick(['2', '2', '1']), type, count: maybe(prng, '1') },
    Buffer.concat([Buffer.of(0x33), prng.bytes(prng.int(0, 120))]),
  );
}

function device(prng: Prng, parties: Parties): Stanza {
  return stanza('device', { jid: person(prng, parties), 'key-index': String(prng.int(0, 9)) });
}

/** Few enough for the same one to come twice. */
function id(prng: Prng): string {
  return `3A${prng.int(0, 5_000).toString(16).toUpperCase().padStart(18, '0')}`;
}

function time(prng: Prng): string {
  return prng.pick(['1790000000', '0', '-1', '99999999999999', String(prng.int(0, 2 ** 31))]);
}

function maybe(prng: Prng, value: string): string | undefined {
  return prng.chance(0.3) ? value : undefined;
}

/** At most so many of these. */
function some(prng: Prng, most: number, makers: readonly (() => Stanza)[]): Stanza[] {
  return Array.from({ length: prng.int(0, most) }, () => prng.pick(makers)());
}
