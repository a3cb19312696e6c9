import type { Companion } from '../companion.js';
import { rejectSends } from '../faults/reject-sends.js';
import { membersOf } from '../groups/announce.js';
import type { Group } from '../groups/group.js';
import type { Network } from '../network.js';
import { type Device, devicesOf } from '../registry.js';
import { child, childrenOf, type Stanza } from '../wire/stanza.js';
import { refuseButtons } from './buttons.js';
import type { Copy, Parcel } from './fan-out.js';
import { ADMIN_REVOKE, deviceRow, handOut, MALFORMED, NOT_ALLOWED, travelling } from './messages.js';

const NOT_FOUND = '404';
/** For people who were members once. */
const NO_MORE_MEMBER = '401';

/**
 * A linked device writes to a group: the message goes to all devices of its members, with the key to those that the
 * author gives it to. A copy that answers a retry goes to the one device that asked.
 * @returns the error of the negative ack; undefined when the message is on its way.
 */
export function routeGroupMessage(
  network: Network,
  companion: Companion,
  message: Stanza,
): string | undefined {
  const group = network.groups.byJid(message.attrs.to);
  if (!group) return NOT_FOUND;
  const copies = copiesOf(network, companion, group, message);
  const error = refuse(network, companion, group, message) ?? (copies ? undefined : MALFORMED);
  if (error || !copies) return error;
  const { id = '' } = message.attrs;
  const parcel: Parcel = {
    id,
    author: { account: companion.account, companion },
    chat: group,
    ...travelling(message),
  };
  handOut(network, parcel, group.chatId, copies);
  return undefined;
}

function refuse(network: Network, companion: Companion, group: Group, message: Stanza): string | undefined {
  const { account } = companion;
  if (network.faults.take(rejectSends, account)) return MALFORMED;
  if (!group.has(account)) return group.hasLost(account) ? NO_MORE_MEMBER : NOT_ALLOWED;
  const isForAdmins = message.attrs.edit === ADMIN_REVOKE || (group.record.announce && !isReaction(message));
  if (isForAdmins && !group.isAdmin(account)) return NOT_ALLOWED;
  return refuseButtons(message);
}

/** Where only admins may write, everybody may still react. */
function isReaction({ attrs }: Stanza): boolean {
  return attrs.type === 'reaction';
}

/** Undefined when the stanza is not what it should be. */
function copiesOf(
  network: Network,
  companion: Companion,
  group: Group,
  message: Stanza,
): (Copy & { to: Device })[] | undefined {
  const enc = child(message, 'enc');
  const participants = child(message, 'participants');
  if (!enc || (participants && childrenOf(participants).length === 0)) return undefined;
  if (message.attrs.participant !== undefined) {
    const to = network.registry.device(message.attrs.participant);
    return to && group.has(to.account) ? [{ to, encs: [enc] }] : [];
  }
  const keys = keysByDevice(network, participants);
  return membersOf(network, group)
    .flatMap(devicesOf)
    .filter((to) => to.companion !== companion)
    .map((to) => {
      const key = keys.get(deviceRow(to));
      return { to, encs: key ? [key, enc] : [enc] };
    });
}

/** The `<enc>`s that bring devices the author's key. */
function keysByDevice(network: Network, participants: Stanza | undefined): Map<string, Stanza> {
  const keys = new Map<string, Stanza>();
  for (const part of childrenOf(participants)) {
    const to = network.registry.device(part.attrs.jid);
    const enc = child(part, 'enc');
    if (to && enc) keys.set(deviceRow(to), enc);
  }
  return keys;
}
