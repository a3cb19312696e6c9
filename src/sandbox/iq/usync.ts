import { PN_SERVER } from '../../domain/address.js';
import type { Account } from '../account.js';
import { ignoreQueries } from '../faults/ignore-queries.js';
import type { Network } from '../network.js';
import { vouched } from '../people/business.js';
import { otherForm } from '../people/number-forms.js';
import { versionOf } from '../people/picture-version.js';
import { deviceId, devicesOf } from '../registry.js';
import { deviceJid } from '../wire/jid.js';
import { child, childrenOf, type Stanza, stanza, textOf } from '../wire/stanza.js';
import { asker, type IqNamespace } from './iq.js';

/** What can be asked about a person; nothing is said about what there is nothing to say of. */
const PROTOCOLS: Record<string, (account: Account, network: Network) => Stanza | undefined> = {
  devices: (account, network) => deviceList(account, network),
  lid: (account) => (account.record.hideLid ? undefined : stanza('lid', { val: account.jid('lid') })),
  contact: () => stanza('contact', { type: 'in' }),
  status: statusText,
  // bytes, as text would be taken for an address or a number where it looks like one
  username: ({ record }) =>
    record.username ? stanza('username', {}, Buffer.from(record.username)) : undefined,
  picture: pictureVersion,
  business: (account) => {
    const certificate = vouched(account);
    return certificate.length > 0 ? stanza('business', {}, certificate) : undefined;
  },
  disappearing_mode: ({ record }) =>
    stanza('disappearing_mode', { duration: '0', t: String(record.createdAt) }),
};

function statusText(account: Account): Stanza {
  const { status, createdAt } = account.record;
  if (account.privacy('status') === 'none') return stanza('status', { code: '401' });
  return stanza('status', { t: String(createdAt) }, Buffer.from(status));
}

function pictureVersion(account: Account): Stanza | undefined {
  const id = account.privacy('profile') === 'none' ? '' : versionOf(account.record.picture);
  return id ? stanza('picture', { id }) : undefined;
}

/** Looks people up: do they exist, which devices have they, what is their hidden id. */
export const usync: IqNamespace = {
  xmlns: 'usync',
  answer(request) {
    const { network, body } = request;
    if (network.faults.take(ignoreQueries, asker(request).account)) return 'silence';
    const protocols = childrenOf(child(body, 'query')).map(({ tag }) => tag);
    const users = childrenOf(child(body, 'list')).flatMap((user) => describe(network, user, protocols) ?? []);
    const { sid, mode, context } = body?.attrs ?? {};
    return {
      content: [
        stanza('usync', { sid, index: '0', last: 'true', mode, context }, [
          stanza(
            'result',
            {},
            protocols.map((tag) => stanza(tag)),
          ),
          stanza('list', {}, users),
        ]),
      ],
    };
  },
};

/**
 * The person in the addressing that was asked for, by the number that the account has. Nobody: absent, or `out` when a
 * phone number was asked for.
 */
function describe(network: Network, user: Stanza, protocols: string[]): Stanza | undefined {
  const phone = textOf(child(user, 'contact')).replace(/\D/g, '');
  const account = phone ? byAnyForm(network, phone) : network.registry.byJid(user.attrs.jid);
  const jid = user.attrs.jid ?? deviceJid(account?.pn ?? phone, PN_SERVER);
  if (!account) return phone ? stanza('user', { jid }, [stanza('contact', { type: 'out' })]) : undefined;
  const elements = protocols.flatMap((tag) => PROTOCOLS[tag]?.(account, network) ?? []);
  return stanza('user', { jid }, elements);
}

function byAnyForm({ registry }: Network, phone: string): Account | undefined {
  return registry.byPn(phone) ?? registry.byPn(otherForm(phone) ?? '');
}

function deviceList(account: Account, network: Network): Stanza {
  const devices = devicesOf(account).map((device) => {
    const id = String(deviceId(device));
    return stanza('device', { id, 'key-index': device.companion ? id : undefined });
  });
  return stanza('devices', {}, [
    stanza('device-list', { hash: `2:${devices.length}` }, devices),
    stanza('key-index-list', { ts: String(network.now()) }),
  ]);
}
