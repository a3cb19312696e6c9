import { PN_SERVER } from '../../domain/address.js';
import type { Account } from '../account.js';
import { ignoreQueries } from '../faults/ignore-queries.js';
import type { Network } from '../network.js';
import { deviceId, devicesOf } from '../registry.js';
import { deviceJid } from '../wire/jid.js';
import { child, childrenOf, type Stanza, stanza, textOf } from '../wire/stanza.js';
import { asker, type IqNamespace } from './iq.js';

/** What can be asked about a person; nothing is said about what there is nothing to say of. */
const PROTOCOLS: Record<string, (account: Account, network: Network) => Stanza | undefined> = {
  devices: (account, network) => deviceList(account, network),
  lid: (account) => stanza('lid', { val: account.jid('lid') }),
  contact: () => stanza('contact', { type: 'in' }),
  status: ({ record }) => stanza('status', { t: String(record.createdAt) }, Buffer.from(record.status)),
  username: ({ record }) => (record.username ? stanza('username', {}, record.username) : undefined),
  disappearing_mode: ({ record }) =>
    stanza('disappearing_mode', { duration: '0', t: String(record.createdAt) }),
};

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

/** The person in the addressing that was asked for. Nobody: absent, or `out` when a phone number was asked for. */
function describe(network: Network, user: Stanza, protocols: string[]): Stanza | undefined {
  const phone = textOf(child(user, 'contact')).replace(/\D/g, '');
  const jid = user.attrs.jid ?? (phone ? deviceJid(phone, PN_SERVER) : undefined);
  const account = network.registry.byJid(jid);
  if (!account) return phone ? stanza('user', { jid }, [stanza('contact', { type: 'out' })]) : undefined;
  const elements = protocols.flatMap((tag) => PROTOCOLS[tag]?.(account, network) ?? []);
  return stanza('user', { jid }, elements);
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
