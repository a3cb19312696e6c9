import type { GroupAction, GroupSettings } from '../../../contract/sandbox/index.js';
import {
  changeLink,
  createCommunity,
  createLinkedGroup,
  leaveCommunity,
  linkedGroupElements,
  linkedPeopleElements,
  removeFromAll,
  requireCommunity,
} from '../../groups/communities.js';
import { groupElement, previewElement } from '../../groups/elements.js';
import {
  changeMembers,
  createGroup,
  leaveGroup,
  type Named,
  type Outcome,
  outcomeElement,
  requireMember,
} from '../../groups/membership.js';
import {
  answerRequests,
  cancelRequest,
  joinByInvite,
  type RequestAction,
  requestElements,
} from '../../groups/requests.js';
import {
  changeDescription,
  changeSettings,
  changeSubject,
  inviteCode,
  renewInvite,
} from '../../groups/settings.js';
import type { Group } from '../../state/group.js';
import { GroupRefusal, IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { child, childrenOf, type Stanza, stanza, textOf } from '../../wire/stanza.js';
import { asker, EMPTY, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

type Answerer = (request: IqRequest) => IqAnswer;

/** Groups: their state, and the actions of members and admins. */
export const groups: IqNamespace = {
  xmlns: 'w:g2',
  answer(request) {
    const { iq, body } = request;
    const answerers = iq.attrs.type === 'get' ? GET : SET;
    const tag = body?.tag ?? '';
    const answerer = Object.hasOwn(answerers, tag) ? answerers[tag] : undefined;
    if (!answerer) throw NOT_PLAYED;
    try {
      return answerer(request);
    } catch (error) {
      if (error instanceof GroupRefusal) throw new IqError(error.wireCode, error.message);
      throw error;
    }
  },
};

const GET: Record<string, Answerer> = {
  query(request) {
    // a personal invitation, which admits people who are no members (whatsmeow `GetGroupInfoFromInvite`)
    if (child(request.body, 'add_request')) throw NOT_PLAYED;
    const group = addressed(request);
    const { account } = asker(request);
    requireMember(group, account);
    return { content: [groupElement(request.network, group, account)] };
  },
  participating(request) {
    const { network } = request;
    const { account } = asker(request);
    const all = network.directory.groups.of(account).map((group) => groupElement(network, group, account));
    return { content: [stanza('groups', {}, all)] };
  },
  invite(request) {
    const { network, body } = request;
    const { code } = body?.attrs ?? {};
    if (code !== undefined)
      return { content: [previewElement(network, network.directory.groups.requireByInvite(code))] };
    return invite(inviteCode(addressed(request), asker(request).account));
  },
  sub_groups(request) {
    const community = requireCommunity(request.network, request.iq.attrs.to);
    const groups = linkedGroupElements(request.network, community, asker(request).account);
    return { content: [stanza('sub_groups', {}, groups)] };
  },
  linked_groups_participants(request) {
    const community = requireCommunity(request.network, request.iq.attrs.to);
    const people = linkedPeopleElements(request.network, community, asker(request).account);
    return { content: [stanza('linked_groups_participants', {}, people)] };
  },
  membership_approval_requests(request) {
    const waiting = requestElements(request.network, addressed(request), asker(request).account);
    return { content: [stanza('membership_approval_requests', {}, waiting)] };
  },
};

const SET: Record<string, Answerer> = {
  create(request) {
    const { network, body } = request;
    const { subject = '', key } = body?.attrs ?? {};
    const { account } = asker(request);
    const parent = child(body, 'parent');
    if (parent) return newCommunity(request, parent);
    const community = child(body, 'linked_parent')?.attrs.jid;
    const wanted = { subject, key, description: descriptionIn(body), ...optionsIn(body) };
    const { group, outcomes } = community
      ? createLinkedGroup(network, account, requireCommunity(network, community), wanted, named(request))
      : createGroup(network, account, wanted, named(request));
    const refused = outcomes.filter(({ error }) => error !== undefined);
    const elements = refused.map((outcome) => outcomeElement(network, group, outcome));
    return { content: [groupElement(network, group, account, elements)] };
  },
  add: (request) => members(request, 'add'),
  remove(request) {
    if (request.body?.attrs.linked_groups !== 'true') return members(request, 'remove');
    const { network } = request;
    const community = requireCommunity(network, request.iq.attrs.to);
    const outcomes = removeFromAll(network, community, asker(request).account, named(request));
    return outcome(request, 'remove', community, outcomes);
  },
  links(request) {
    const link = child(request.body, 'link');
    if (link?.attrs.link_type !== 'sub_group') throw NOT_PLAYED;
    const groups = linkChanges(request, 'link', link);
    return { content: [stanza('links', {}, [stanza('link', { link_type: 'sub_group' }, groups)])] };
  },
  unlink(request) {
    const { body } = request;
    const keepsMembers = childrenOf(body).every(({ attrs }) => attrs.remove_orphaned_members !== 'true');
    if (body?.attrs.unlink_type !== 'sub_group' || !keepsMembers) throw NOT_PLAYED;
    const groups = linkChanges(request, 'unlink', body);
    return { content: [stanza('unlink', { unlink_type: 'sub_group' }, groups)] };
  },
  promote: (request) => members(request, 'promote'),
  demote: (request) => members(request, 'demote'),
  leave(request) {
    const { network, body } = request;
    const left = childrenOf(body).map(({ attrs }) => network.directory.groups.require(attrs.id));
    for (const group of left) {
      const leave = group.record.community ? leaveCommunity : leaveGroup;
      leave(network, group, asker(request).account);
    }
    return EMPTY;
  },
  subject(request) {
    changeSubject(request.network, addressed(request), asker(request).account, textOf(request.body));
    return EMPTY;
  },
  description(request) {
    const { network, body } = request;
    const { id, prev: previous } = body?.attrs ?? {};
    const text = textOf(child(body, 'body'));
    changeDescription(network, addressed(request), asker(request).account, text, { id, previous });
    return EMPTY;
  },
  membership_approval_mode(request) {
    const mode = child(request.body, 'group_join');
    if (!mode) throw NOT_PLAYED;
    const { state } = mode.attrs;
    if (state !== 'on' && state !== 'off') throw new IqError(400, 'bad-request');
    return settings(request, { joinApproval: state === 'on' });
  },
  membership_requests_action(request) {
    const { network, body } = request;
    const group = addressed(request);
    const answers = childrenOf(body).map((element) => {
      const { tag } = element;
      if (!isRequestAction(tag)) throw new IqError(400, 'bad-request');
      const outcomes = answerRequests(network, group, asker(request).account, tag, named(request, element));
      return stanza(
        tag,
        {},
        outcomes.map((one) => outcomeElement(network, group, one)),
      );
    });
    return { content: [stanza('membership_requests_action', {}, answers)] };
  },
  cancel_membership_requests(request) {
    const { network, body } = request;
    cancelRequest(network, addressed(request), asker(request).account, named(request));
    return { content: [stanza('cancel_membership_requests', {}, participants(body))] };
  },
  announcement: (request) => settings(request, { announce: true }),
  not_announcement: (request) => settings(request, { announce: false }),
  locked: (request) => settings(request, { locked: true }),
  unlocked: (request) => settings(request, { locked: false }),
  member_add_mode: (request) => settings(request, { membersAdd: textOf(request.body) === 'all_member_add' }),
  ephemeral: (request) => settings(request, { ephemeral: Number(request.body?.attrs.expiration ?? 0) }),
  not_ephemeral: (request) => settings(request, { ephemeral: 0 }),
  invite(request) {
    const { network, body } = request;
    const { account } = asker(request);
    const { code } = body?.attrs ?? {};
    if (code === undefined) return invite(renewInvite(network, addressed(request), account));
    const group = network.directory.groups.requireByInvite(code);
    const isIn = joinByInvite(network, group, account) === 'joined';
    const joined = group.record.community ? 'community' : 'group';
    return { content: [stanza(isIn ? joined : 'membership_approval_request', { jid: group.jid() })] };
  },
};

function members(request: IqRequest, action: GroupAction): IqAnswer {
  const { network } = request;
  const group = addressed(request);
  const outcomes = changeMembers(network, group, asker(request).account, action, named(request));
  return outcome(request, action, group, outcomes);
}

function outcome({ network }: IqRequest, action: GroupAction, group: Group, outcomes: Outcome[]): IqAnswer {
  return {
    content: [
      stanza(
        action,
        {},
        outcomes.map((one) => outcomeElement(network, group, one)),
      ),
    ],
  };
}

/** The settings with which a group begins (whatsmeow `CreateGroup`). @throws IqError 400 for a timer that is no number */
function optionsIn(body: Stanza | undefined): GroupSettings {
  const [timer, mode] = [child(body, 'ephemeral'), child(body, 'member_add_mode')];
  const approval = child(child(body, 'membership_approval_mode'), 'group_join');
  const ephemeral = Number(timer?.attrs.expiration);
  if (timer && !Number.isSafeInteger(ephemeral)) throw new IqError(400, 'bad-request');
  return {
    ...(child(body, 'announcement') && { announce: true }),
    ...(child(body, 'locked') && { locked: true }),
    ...(approval && { joinApproval: approval.attrs.state === 'on' }),
    ...(mode && { membersAdd: textOf(mode) === 'all_member_add' }),
    ...(timer && { ephemeral }),
  };
}

function newCommunity(request: IqRequest, parent: Stanza): IqAnswer {
  const { network, body } = request;
  const { subject = '', key } = body?.attrs ?? {};
  const community = {
    approval: parent.attrs.default_membership_approval_mode === 'request_required',
    anyoneAddsGroups: child(body, 'allow_non_admin_sub_group_creation') !== undefined,
  };
  const general = child(body, 'create_general_chat') !== undefined;
  const options = optionsIn(body);
  // the approval mode of a community is not played; some clients say that it is off (whatsapp-rust `community.rs`)
  if (options.joinApproval) throw NOT_PLAYED;
  const wanted = { subject, key, description: descriptionIn(body), ...options, community, general };
  const created = createCommunity(network, asker(request).account, wanted);
  return { content: [groupElement(network, created)] };
}

function descriptionIn(body: Stanza | undefined): string {
  return textOf(child(child(body, 'description'), 'body'));
}

function linkChanges(request: IqRequest, change: 'link' | 'unlink', list: Stanza): Stanza[] {
  const { network, iq } = request;
  const community = requireCommunity(network, iq.attrs.to);
  return childrenOf(list).map(({ attrs }) =>
    changeLink(network, community, asker(request).account, change, attrs.jid),
  );
}

function settings(request: IqRequest, wanted: GroupSettings): IqAnswer {
  changeSettings(request.network, addressed(request), asker(request).account, wanted);
  return EMPTY;
}

function invite(code: string): IqAnswer {
  return { content: [stanza('invite', { code })] };
}

/** The group that the query addresses. @throws GroupRefusal 404 */
function addressed({ network, iq }: IqRequest): Group {
  return network.directory.groups.require(iq.attrs.to);
}

function isRequestAction(tag: string): tag is RequestAction {
  return tag === 'approve' || tag === 'reject';
}

/** The people in the query. */
function named({ network, body }: IqRequest, within = body): Named[] {
  return participants(within).map(({ attrs: { jid = '' } }) => ({
    jid,
    account: network.directory.byJid(jid),
  }));
}

function participants(body: Stanza | undefined): Stanza[] {
  return childrenOf(body).filter(({ tag }) => tag === 'participant');
}
