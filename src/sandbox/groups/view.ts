import type { GroupView } from '../api.js';
import type { Network } from '../network.js';
import { versionOf } from '../people/picture-version.js';
import type { Group } from './group.js';

/** A group as the control API shows it. */
export function viewGroup(network: Network, group: Group): GroupView {
  const { subject, description, creator, createdAt, announce, locked, membersAdd, ephemeral, inviteCode } =
    group.record;
  return {
    jid: group.jid(),
    subject: subject.text,
    description: description?.text ?? '',
    owner: network.registry.byLid(creator)?.number ?? '',
    createdAt,
    announce,
    locked,
    membersAdd,
    ephemeral,
    inviteCode,
    pictureId: versionOf(group.record.picture),
    participants: [...group.members].flatMap(([lid, role]) => {
      const account = network.registry.byLid(lid);
      return account ? [{ number: account.number, lid: account.jid('lid'), role }] : [];
    }),
  };
}
