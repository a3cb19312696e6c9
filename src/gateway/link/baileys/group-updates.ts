import {
  areJidsSameUser,
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isJidGroup,
  jidNormalizedUser,
} from '@whiskeysockets/baileys';
import type { GroupChange, GroupSettingsChange } from '../../../domain/group-change.js';
import type { GroupUpdate, NamedPerson } from '../events.js';
import { stanzaTime } from './incoming.js';
import { textOf } from './people.js';

/** The change that one element of a notification reports. */
interface Told {
  change: GroupChange;
  members?: NamedPerson[];
  value?: string;
  settings?: GroupSettingsChange;
}

/** Elements of a `w:gp2` notification (whatsmeow `group.go`, Baileys `handleGroupNotification`); other elements are not reported. */
const CHANGES = new Map<string, (element: BinaryNode, by: NamedPerson | undefined) => Told>([
  ['create', (element) => ({ change: 'created', members: peopleIn(getBinaryNodeChild(element, 'group')) })],
  [
    'add',
    (element, by) => {
      const members = peopleIn(element);
      const joined = element.attrs.reason === 'invite' || isOnly(members, by);
      return { change: joined ? 'joined' : 'added', members };
    },
  ],
  [
    'remove',
    (element, by) => {
      const members = peopleIn(element);
      return { change: isOnly(members, by) ? 'left' : 'removed', members };
    },
  ],
  ['leave', (element) => ({ change: 'left', members: peopleIn(element) })],
  ['promote', (element) => ({ change: 'promoted', members: peopleIn(element) })],
  ['demote', (element) => ({ change: 'demoted', members: peopleIn(element) })],
  ['subject', ({ attrs }) => ({ change: 'subject', value: attrs.subject ?? '' })],
  [
    'description',
    (element) => ({ change: 'description', value: textOf(getBinaryNodeChild(element, 'body')) }),
  ],
  ['announcement', () => settings({ announce: true })],
  ['not_announcement', () => settings({ announce: false })],
  ['locked', () => settings({ locked: true })],
  ['unlocked', () => settings({ locked: false })],
  ['member_add_mode', (element) => settings({ membersAdd: textOf(element) === 'all_member_add' })],
  [
    'membership_approval_mode',
    (element) => settings({ joinApproval: getBinaryNodeChild(element, 'group_join')?.attrs.state !== 'off' }),
  ],
  ['ephemeral', ({ attrs }) => settings({ disappearingSeconds: Number(attrs.expiration) || 0 })],
  ['not_ephemeral', () => settings({ disappearingSeconds: 0 })],
  ['invite', ({ attrs }) => ({ change: 'invite_link', value: attrs.code ?? '' })],
  [
    'created_membership_requests',
    (element, by) => ({ change: 'join_request', members: askers(element, by) }),
  ],
  [
    'revoked_membership_requests',
    (element, by) => ({ change: 'join_request_withdrawn', members: askers(element, by) }),
  ],
  ['delete', () => ({ change: 'deleted' })],
]);

/** The changes in a `<notification type="w:gp2">`. @param now milliseconds since the epoch */
export function groupUpdatesIn(node: BinaryNode, now: number): GroupUpdate[] {
  const { attrs } = node;
  if (!attrs.from || !attrs.id) return [];
  const by = personIn(attrs.participant, attrs.participant_pn ?? attrs.participant_lid);
  return getAllBinaryNodeChildren(node).flatMap((element, index) => {
    const told = CHANGES.get(element.tag)?.(element, by);
    return told ? [updateOf(node, index, by, told, now)] : [];
  });
}

/** The change in a `<notification type="picture">` of a group; undefined for one of a person. */
export function pictureUpdateIn(node: BinaryNode, now: number): GroupUpdate | undefined {
  const set = getBinaryNodeChild(node, 'set');
  const change = set ?? getBinaryNodeChild(node, 'delete');
  if (!change || !node.attrs.id || !isJidGroup(node.attrs.from)) return undefined;
  const by = personIn(change.attrs.author, undefined);
  return updateOf(node, 0, by, { change: 'picture', value: set?.attrs.id ?? '' }, now);
}

function updateOf(
  { attrs }: BinaryNode,
  index: number,
  by: NamedPerson | undefined,
  { change, members = [], value = '', settings: changed }: Told,
  now: number,
): GroupUpdate {
  return {
    changeId: index === 0 ? `${attrs.id}` : `${attrs.id}-${index}`,
    group: jidNormalizedUser(attrs.from),
    change,
    ...(by && { by }),
    pushName: attrs.notify ?? '',
    members,
    value,
    ...(changed && { settings: changed }),
    timestamp: stanzaTime(attrs.t, now),
  };
}

function settings(changed: GroupSettingsChange): Told {
  return { change: 'settings', settings: changed };
}

function peopleIn(element: BinaryNode | undefined): NamedPerson[] {
  return getBinaryNodeChildren(element, 'participant').flatMap(({ attrs }) => {
    const person = personIn(attrs.jid, attrs.phone_number ?? attrs.lid);
    return person ? [person] : [];
  });
}

/** The people who ask to join. A request that names nobody is that of the notification's author. */
function askers(element: BinaryNode, by: NamedPerson | undefined): NamedPerson[] {
  const named = [
    ...peopleIn(element),
    ...getBinaryNodeChildren(element, 'requested_user').flatMap(({ attrs }) => {
      const person = personIn(attrs.jid, attrs.phone_number ?? attrs.lid);
      return person ? [person] : [];
    }),
  ];
  return named.length > 0 || !by ? named : [by];
}

function personIn(jid: string | undefined, alt: string | undefined): NamedPerson | undefined {
  if (!jid) return undefined;
  return { jid: jidNormalizedUser(jid), ...(alt && { alt: jidNormalizedUser(alt) }) };
}

/** True if the only member is the author of the change, who joined or left rather than being added or removed. */
function isOnly(members: readonly NamedPerson[], by: NamedPerson | undefined): boolean {
  const [only, ...others] = members;
  return others.length === 0 && only !== undefined && areJidsSameUser(only.jid, by?.jid);
}
