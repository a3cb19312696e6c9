import type { GroupAction, GroupSettings } from '../api.js';
import { groupElement, previewElement } from '../groups/elements.js';
import type { Group } from '../groups/group.js';
import {
  changeMembers,
  createGroup,
  joinGroup,
  leaveGroup,
  type Named,
  outcomeElement,
} from '../groups/membership.js';
import { GroupRefusal } from '../groups/refusal.js';
import { requireMember } from '../groups/rights.js';
import {
  changeDescription,
  changeSettings,
  changeSubject,
  inviteCode,
  renewInvite,
} from '../groups/settings.js';
import { child, childrenOf, type Stanza, stanza, textOf } from '../wire/stanza.js';
import { asker, EMPTY, type IqAnswer, IqError, type IqNamespace, type IqRequest } from './iq.js';

type Answerer = (request: IqRequest) => IqAnswer;

/** Groups: what they are, and everything that members and admins do to them. */
export const groups: IqNamespace = {
  xmlns: 'w:g2',
  answer(request) {
    const { iq, body } = request;
    const answerers = iq.attrs.type === 'get' ? GET : SET;
    const tag = body?.tag ?? '';
    const answerer = Object.hasOwn(answerers, tag) ? answerers[tag] : undefined;
    if (!answerer) throw new IqError(501, 'feature-not-implemented');
    try {
      return answerer(request);
    } catch (error) {
      if (error instanceof GroupRefusal) throw new IqError(error.code, error.message);
      throw error;
    }
  },
};

const GET: Record<string, Answerer> = {
  query(request) {
    const group = addressed(request);
    requireMember(group, asker(request).account);
    return { content: [groupElement(request.network, group)] };
  },
  participating(request) {
    const { network } = request;
    const all = network.groups.of(asker(request).account).map((group) => groupElement(network, group));
    return { content: [stanza('groups', {}, all)] };
  },
  invite(request) {
    const { network, body } = request;
    const { code } = body?.attrs ?? {};
    if (code !== undefined)
      return { content: [previewElement(network, network.groups.requireByInvite(code))] };
    return invite(inviteCode(addressed(request), asker(request).account));
  },
  membership_approval_requests(request) {
    requireMember(addressed(request), asker(request).account);
    return { content: [stanza('membership_approval_requests', {}, [])] };
  },
};

const SET: Record<string, Answerer> = {
  create(request) {
    const { network, body } = request;
    const { subject = '', key } = body?.attrs ?? {};
    const { group, outcomes } = createGroup(network, asker(request).account, subject, named(request), key);
    const refused = outcomes.filter(({ error }) => error !== undefined);
    const elements = refused.map((outcome) => outcomeElement(network, group, outcome));
    return { content: [groupElement(network, group, elements)] };
  },
  add: (request) => members(request, 'add'),
  remove: (request) => members(request, 'remove'),
  promote: (request) => members(request, 'promote'),
  demote: (request) => members(request, 'demote'),
  leave(request) {
    const { network, body } = request;
    const left = childrenOf(body).map(({ attrs }) => network.groups.require(attrs.id));
    for (const group of left) leaveGroup(network, group, asker(request).account);
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
    const group = network.groups.requireByInvite(code);
    joinGroup(network, group, account);
    return { content: [stanza('group', { jid: group.jid() })] };
  },
};

function members(request: IqRequest, action: GroupAction): IqAnswer {
  const { network } = request;
  const group = addressed(request);
  const outcomes = changeMembers(network, group, asker(request).account, action, named(request));
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

function settings(request: IqRequest, wanted: GroupSettings): IqAnswer {
  changeSettings(request.network, addressed(request), asker(request).account, wanted);
  return EMPTY;
}

function invite(code: string): IqAnswer {
  return { content: [stanza('invite', { code })] };
}

/** The group that the query is sent to. @throws GroupRefusal 404 */
function addressed({ network, iq }: IqRequest): Group {
  return network.groups.require(iq.attrs.to);
}

/** The people in the query. */
function named({ network, body }: IqRequest): Named[] {
  return participants(body).map(({ attrs: { jid = '' } }) => ({ jid, account: network.registry.byJid(jid) }));
}

function participants(body: Stanza | undefined): Stanza[] {
  return childrenOf(body).filter(({ tag }) => tag === 'participant');
}
