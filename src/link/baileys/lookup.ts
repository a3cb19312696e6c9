import {
  jidDecode,
  USyncQuery,
  type USyncQueryResultList,
  USyncUser,
  type WASocket,
} from '@whiskeysockets/baileys';
import { type Address, formatJid } from '../../domain/address.js';
import { GatewayError } from '../../domain/errors.js';
import type { LookedUpPerson } from '../link.js';

/**
 * Asks the network for a person: a number by `contact` and `lid` in one query, a LID by its devices.
 * @returns undefined when the network does not know the address
 * @throws GatewayError `lookup_failed`
 */
export async function lookUp(sock: WASocket, address: Address): Promise<LookedUpPerson | undefined> {
  if (address.kind === 'group') return undefined;
  return address.kind === 'pn' ? byNumber(sock, address) : byLid(sock, address);
}

async function byNumber(sock: WASocket, address: Address): Promise<LookedUpPerson | undefined> {
  const query = new USyncQuery()
    .withContactProtocol()
    .withLIDProtocol()
    .withUser(new USyncUser().withPhone(`+${address.user}`));
  const found = (await ask(sock, query)).find(({ contact }) => contact === true);
  if (!found) return undefined;
  const pn = jidDecode(found.id)?.user ?? address.user;
  // what the library remembers of the number may be of somebody else by now
  if (typeof found.lid !== 'string') return { pn, lid: '' };
  const pair = { lid: found.lid, pn: formatJid({ kind: 'pn', user: pn }) };
  await sock.signalRepository.lidMapping.storeLIDPNMappings([pair]);
  return { pn, lid: jidDecode(found.lid)?.user ?? '' };
}

async function byLid(sock: WASocket, address: Address): Promise<LookedUpPerson | undefined> {
  const jid = formatJid(address);
  const query = new USyncQuery()
    .withContext('message')
    .withDeviceProtocol()
    .withLIDProtocol()
    .withUser(new USyncUser().withId(jid));
  const [found] = await ask(sock, query);
  const devices: unknown = found?.devices;
  const list: unknown = devices instanceof Object ? Reflect.get(devices, 'deviceList') : undefined;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const pn = await sock.signalRepository.lidMapping.getPNForLID(jid);
  return { lid: address.user, pn: jidDecode(pn ?? undefined)?.user ?? '' };
}

async function ask(sock: WASocket, query: USyncQuery): Promise<USyncQueryResultList[]> {
  const answer = await sock.executeUSyncQuery(query).catch(failed);
  return answer ? answer.list : failed();
}

function failed(cause?: unknown): never {
  throw new GatewayError('lookup_failed', 'The network did not answer the look-up. Try again.', { cause });
}
