import type { ProfileUpdate } from '../../contract/sandbox/index.js';
import { announce, participantElement } from '../groups/elements.js';
import { createPasskey } from '../pairing/authenticator.js';
import { changePicture } from '../people/pictures.js';
import { changePrivacy } from '../people/privacy.js';
import { announceStatusText } from '../people/status-text.js';
import { unlink } from '../routing/devices.js';
import { type Account, deviceRow } from '../state/account.js';
import type { Network } from '../state/network.js';
import { stanza } from '../wire/stanza.js';
import type { Phone, Phones } from './phone.js';

/** Changes profile and privacy, with the notifications of the real network. @throws Refusal 400 when the picture is no image */
export async function changeProfile(
  network: Network,
  { account, settings }: Phone,
  update: ProfileUpdate,
): Promise<void> {
  const { name, picture, pictureHidden, onlyAdminsAddMe, passkey, ...shown } = update;
  // the picture first: it is the only part that can fail
  if (picture !== undefined)
    await changePicture(network, account, account, picture === null ? null : Buffer.from(picture, 'base64'));
  Object.assign(account.record, shown);
  if (shown.status !== undefined) account.record.textStatus = { text: shown.status, at: network.now() };
  const privacy = {
    ...(pictureHidden !== undefined && { profile: pictureHidden ? 'none' : 'all' }),
    ...(onlyAdminsAddMe !== undefined && { groupadd: onlyAdminsAddMe ? 'contacts' : 'all' }),
  };
  for (const [setting, value] of Object.entries(privacy))
    changePrivacy(network, account, { name: setting, value, people: [] });
  if (passkey !== undefined)
    account.record.passkey = {
      ...(account.record.passkey ?? createPasskey()),
      isRequired: passkey === 'required',
    };
  account.keep();
  if (shown.status !== undefined) announceStatusText(network, account);
  if (name !== undefined) await settings.rename(name);
}

/**
 * Gives a person another number. The LID stays, and with it the chats and groups; linked devices are unlinked. All
 * contacts are notified.
 * @throws Refusal 409 when the number is taken
 */
export function changeNumber(network: Network, account: Account, number: string): void {
  const [before, oldJid] = [account.number, account.jid('pn')];
  network.directory.renumber(account, number);
  for (const companion of [...account.companions.values()]) unlink(network, companion);
  for (const other of network.directory.accounts) other.phone.renumber(before, number);
  const known = network.directory.contactsOf(account);
  const modify = stanza('modify', {
    old: oldJid,
    new: account.jid('pn'),
    ...(!account.record.hideLid && { old_lid: account.jid('lid'), new_lid: account.jid('lid') }),
  });
  for (const { companions } of known) {
    for (const companion of companions.values())
      network.notify(companion, { from: oldJid, type: 'contacts' }, [modify]);
  }
  const changed = stanza('modify', {}, [participantElement(network, account)]);
  for (const group of network.directory.groups.of(account)) announce(network, group, account, changed);
}

/**
 * The person installs WhatsApp anew: the phone has new keys, and the linked devices are unlinked. The devices of contacts
 * learn that the identity has changed, and drop their sessions (whatsmeow `handleEncryptNotification`). The phone has no keys of
 * groups any more either, and asks the authors of messages to groups that it cannot read.
 */
export async function reinstall(network: Network, phones: Phones, account: Account): Promise<void> {
  for (const companion of [...account.companions.values()]) unlink(network, companion);
  await phones.of(account).renewKeys();
  for (const { signal, groupKeys } of phones.all) {
    signal.forget(`${account.lid}.0`);
    groupKeys.lose(deviceRow({ account }));
  }
  if (network.faults.take('no-device-news', account)) return;
  const from = account.privateJid(network.addressing);
  for (const { companions } of network.directory.contactsOf(account)) {
    for (const companion of companions.values())
      network.notify(companion, { from, type: 'encrypt' }, [stanza('identity')]);
  }
}
