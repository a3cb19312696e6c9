import { encodeWAMessage, type proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import { membersOf } from '../groups/announce.js';
import type { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { type Device, devicesOf } from '../registry.js';
import { hand, type Parcel } from '../routing/fan-out.js';
import { deviceRow } from '../routing/messages.js';
import type { Distribution } from '../signal/sender-keys.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import type { StanzaShape } from './content/content.js';
import { ENC_VERSION, encryptFor } from './encrypt.js';
import type { Phone } from './phone.js';

/** @throws Refusal 403 when somebody may not write such a message to a group */
export function requireWriter(group: Group, account: Account, { type }: StanzaShape): void {
  if (!group.has(account)) throw new Refusal(403, `${account.number} is no member of ${group.chatId}`);
  const isForAdmins = group.record.announce && type !== 'reaction';
  if (isForAdmins && !group.isAdmin(account))
    throw new Refusal(403, `only admins may write to ${group.chatId}`);
}

/** Encrypts a message once for all devices of a group's members, and the phone's key for those who lack it. */
export async function sendToGroup(
  network: Network,
  phone: Phone,
  parcel: Parcel & { chat: Group },
  message: proto.IMessage,
  shape: StanzaShape,
): Promise<void> {
  const group = parcel.chat;
  const targets = membersOf(network, group)
    .flatMap(devicesOf)
    .filter(({ account, companion }) => account !== phone.account || companion);
  const { epoch } = group.record;
  const lacking = new Set(targets.filter((to) => phone.groupKeys.give(group.chatId, epoch, deviceRow(to))));
  const key = await phone.groupKeys.distribution(group.chatId);
  const ciphertext = await phone.groupKeys.seal(group.chatId, encodeWAMessage(message));
  const enc = stanza('enc', { v: ENC_VERSION, type: 'skmsg', ...shape.enc }, ciphertext);
  for (const to of targets) {
    const keys = lacking.has(to) ? await giveKey(network, phone, group, to, key) : [];
    hand(network, parcel, { to, encs: [...keys, enc] });
  }
}

/** The message that brings a device the phone's key of a group. */
export async function keyMessage(phone: Phone, group: Group): Promise<proto.IMessage> {
  return wrapKey(group, await phone.groupKeys.distribution(group.chatId));
}

/**
 * Gives a device the phone's key of a group.
 * @returns the `<enc>` that brings it; none among simulated phones: with hundreds of sessions that would take long.
 */
async function giveKey(
  network: Network,
  phone: Phone,
  group: Group,
  to: Device,
  key: Distribution,
): Promise<Stanza[]> {
  if (to.companion) return [await encryptFor(network, phone, to, wrapKey(group, key))];
  const owner = { group: group.chatId, sender: phone.groupKeys.address };
  network.phone(to.account).groupKeys.note(owner, key.position);
  return [];
}

function wrapKey({ chatId }: Group, { bytes }: Distribution): proto.IMessage {
  return { senderKeyDistributionMessage: { groupId: chatId, axolotlSenderKeyDistributionMessage: bytes } };
}
