import { LID_SERVER, PN_SERVER } from '../../../domain/address.js';
import { hasBlocked } from '../../people/blocks.js';
import { showsPicture } from '../../people/pictures.js';
import { allows } from '../../people/privacy.js';
import { audienceElement } from '../../people/status-audience.js';
import { announceStatusText } from '../../people/status-text.js';
import { participantHash } from '../../routing/devices.js';
import { keyIndexList } from '../../routing/key-index.js';
import { type Account, deviceId, devicesOf, verifiedName, versionOf } from '../../state/account.js';
import type { Network } from '../../state/network.js';
import { NOT_PLAYED, notPlayed } from '../../wire/refusals.js';
import { child, childrenOf, deviceJid, type Stanza, stanza, textOf } from '../../wire/stanza.js';
import { asker, asks, EMPTY, type IqNamespace, type IqRequest } from './iq.js';

/** Who asks about whom. */
interface Asked {
  account: Account;
  asker: Account;
  network: Network;
  /** The jid in the query. */
  jid: string | undefined;
  /** The number in the query, as it was written; empty for a jid. */
  query: string;
}

/** Queries about a person; facts that do not exist are left out of the answer. */
const PROTOCOLS: Record<string, (asked: Asked) => Stanza | undefined> = {
  devices: deviceList,
  // the LID of a LID is not asked for: such an answer has the number beside the jid (whatsmeow `user.go`)
  lid: ({ account, jid }) =>
    account.record.hideLid || jid?.endsWith(`@${LID_SERVER}`)
      ? undefined
      : stanza('lid', { val: account.jid('lid') }),
  contact: ({ query }) => contactElement('in', query),
  status: statusText,
  text_status: textStatus,
  // bytes, as text would be taken for an address or a number where it looks like one
  username: ({ account: { record } }) =>
    record.username ? stanza('username', {}, Buffer.from(record.username)) : undefined,
  picture: pictureVersion,
  business: ({ account }) => {
    const certificate = verifiedName(account);
    return certificate.length > 0 ? stanza('business', {}, certificate) : undefined;
  },
  disappearing_mode({ account: { record } }) {
    const { duration, at } = record.disappearing ?? { duration: 0, at: record.createdAt };
    return stanza('disappearing_mode', { duration: String(duration), t: String(at) });
  },
};

/** The network repeats the query, by which clients find its answer (whatsmeow `IsOnWhatsApp`). */
function contactElement(type: 'in' | 'out', query: string): Stanza {
  return stanza('contact', { type }, query ? Buffer.from(query) : undefined);
}

function statusText({ account, asker: other }: Asked): Stanza {
  const { status, createdAt } = account.record;
  if (hasBlocked(account, other) || !allows(account, 'status', other))
    return stanza('status', { code: '401' });
  return stanza('status', { t: String(createdAt) }, Buffer.from(status));
}

/** The text that current clients show (Baileys PR #2798, zapo `WaProfileCoordinator.ts`). */
function textStatus({ account, asker: other }: Asked): Stanza | undefined {
  const { textStatus: shown } = account.record;
  if (!shown || hasBlocked(account, other) || !allows(account, 'status', other)) return undefined;
  const attrs = { text: shown.text || undefined, ephemeral_duration_sec: '0' };
  return stanza('text_status', { ...attrs, last_update_time: String(shown.at) });
}

function pictureVersion({ account, asker: other }: Asked): Stanza | undefined {
  const id = showsPicture(account, other) ? versionOf(account.record.picture) : '';
  return id ? stanza('picture', { id }) : undefined;
}

/** Looks people up: whether they exist, their devices, their LID and more. */
export const usync: IqNamespace = {
  xmlns: 'usync',
  answer(request) {
    const { network, body } = request;
    if (network.faults.take('ignore-queries', asker(request).account)) return 'silence';
    const protocols = childrenOf(child(body, 'query'));
    const users = childrenOf(child(body, 'list')).flatMap((user) => describe(request, user, protocols) ?? []);
    const { sid, mode, context } = body?.attrs ?? {};
    return {
      content: [
        stanza('usync', { sid, index: '0', last: 'true', mode, context }, [
          stanza(
            'result',
            {},
            // a protocol that is not played has an error in place of facts (whatsapp-rust `iq/usync.rs`)
            protocols.map(({ tag }) =>
              stanza(tag, {}, Object.hasOwn(PROTOCOLS, tag) ? undefined : [notPlayed()]),
            ),
          ),
          stanza('list', {}, users),
        ]),
      ],
    };
  },
};

/**
 * The user element of a person, with the jid that the query used. An unknown person is left out, or reported as `out`
 * when the query named a phone number. With `addressing_mode="lid"` a person found by number is named by the LID, and the
 * number is beside it (whatsmeow `IsOnWhatsApp`, whatsapp-rust `iq/usync.rs`).
 */
function describe(request: IqRequest, user: Stanza, protocols: Stanza[]): Stanza | undefined {
  const { network } = request;
  const query = textOf(child(user, 'contact'));
  const phone = query.replace(/\D/g, '');
  const account = phone ? byAnyForm(network, phone) : network.directory.byJid(user.attrs.jid);
  const jid = user.attrs.jid ?? deviceJid(account?.pn ?? phone, PN_SERVER);
  if (!account) return phone ? stanza('user', { jid }, [contactElement('out', query)]) : undefined;
  const asked = { account, asker: asker(request).account, network, jid: user.attrs.jid, query };
  const elements = protocols.flatMap(({ tag }) =>
    Object.hasOwn(PROTOCOLS, tag) ? (PROTOCOLS[tag]?.(asked) ?? []) : [],
  );
  if (account.record.hideLid) return stanza('user', { jid }, elements);
  const wantsLid = protocols.some(({ tag, attrs }) => tag === 'contact' && attrs.addressing_mode === 'lid');
  if (phone && wantsLid)
    return stanza('user', { jid: account.jid('lid'), pn_jid: account.jid('pn') }, elements);
  const isByLid = user.attrs.jid?.endsWith(`@${LID_SERVER}`) && protocols.some(({ tag }) => tag === 'lid');
  return stanza('user', { jid, pn_jid: isByLid ? account.jid('pn') : undefined }, elements);
}

function byAnyForm({ directory }: Network, phone: string): Account | undefined {
  return directory.byPn(phone) ?? directory.byPn(otherForm(phone) ?? '');
}

function deviceList({ account, network, jid }: Asked): Stanza {
  const devices = devicesOf(account).map((device) => {
    const id = String(deviceId(device));
    return stanza('device', { id, 'key-index': device.companion ? id : undefined });
  });
  const mode = jid?.endsWith(`@${LID_SERVER}`) ? 'lid' : 'pn';
  return stanza('devices', {}, [
    stanza('device-list', { hash: participantHash([account], mode) }, devices),
    keyIndexList(network, account),
  ]);
}

/** Countries whose mobile numbers have two forms; the network knows an account by one of them. */
const FORMS: readonly [long: RegExp, short: RegExp, toShort: string, toLong: string][] = [
  // Mexico: a former prefix 1 of mobile numbers
  [/^521(?<rest>\d{10})$/, /^52(?<rest>\d{10})$/, '52$<rest>', '521$<rest>'],
  // Argentina: a prefix 9 of mobile numbers
  [/^549(?<rest>\d{10})$/, /^54(?<rest>\d{10})$/, '54$<rest>', '549$<rest>'],
  // Brazil: a ninth digit, added later
  [
    /^55(?<area>\d{2})9(?<rest>\d{8})$/,
    /^55(?<area>\d{2})(?<rest>\d{8})$/,
    '55$<area>$<rest>',
    '55$<area>9$<rest>',
  ],
];

/** The other form of a mobile number; undefined when it has only one. @param pn digits with the country code */
function otherForm(pn: string): string | undefined {
  for (const [long, short, toShort, toLong] of FORMS) {
    if (long.test(pn)) return pn.replace(long, toShort);
    if (short.test(pn)) return pn.replace(short, toLong);
  }
  return undefined;
}

/** The profiles of businesses; people have none. */
export const business: IqNamespace = {
  xmlns: 'w:biz',
  answer(request) {
    const { network, iq } = request;
    if (!asks(request, 'get', 'business_profile')) throw NOT_PLAYED;
    const profiles = childrenOf(child(iq, 'business_profile')).flatMap(({ attrs }) => {
      const account = network.directory.byJid(attrs.jid);
      return account?.record.businessName ? [profileElement(account, attrs.jid)] : [];
    });
    return profiles.length > 0 ? { content: [stanza('business_profile', {}, profiles)] } : EMPTY;
  },
};

function profileElement({ record }: Account, jid: string | undefined): Stanza {
  return stanza('profile', { jid }, [
    stanza('description', {}, Buffer.from(record.status)),
    stanza('categories', {}, [stanza('category', { id: '1' }, Buffer.from('Business'))]),
  ]);
}

/** The profile's status text, and who sees the statuses of an account (whatsmeow `broadcast.go`). */
export const status: IqNamespace = {
  xmlns: 'status',
  answer(request) {
    const { account } = asker(request);
    if (asks(request, 'get', 'privacy')) return { content: [audienceElement(request.network, account)] };
    if (!asks(request, 'set', 'status')) throw NOT_PLAYED;
    account.record.status = textOf(request.body);
    account.keep();
    announceStatusText(request.network, account);
    return EMPTY;
  },
};
