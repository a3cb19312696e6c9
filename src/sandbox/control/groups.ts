import { groups as api } from '../../contract/sandbox/groups.js';
import { viewGroup } from '../groups/elements.js';
import {
  changeMembers,
  createGroup,
  leaveGroup,
  type Named,
  type Outcome,
  requireEditor,
} from '../groups/membership.js';
import { answerRequests, joinByInvite } from '../groups/requests.js';
import {
  changeDescription,
  changeSettings,
  changeSubject,
  inviteCode,
  renewInvite,
} from '../groups/settings.js';
import { changePicture } from '../people/pictures.js';
import type { Account } from '../state/account.js';
import type { Group } from '../state/group.js';
import type { Network } from '../state/network.js';
import { type Route, route } from './route.js';

const OK = 200;

/** Groups, as people change them on their phones. */
export const groupRoutes: readonly Route[] = [
  route(api.get, ({ params }, { network }) =>
    viewGroup(network, network.directory.groups.require(params.jid)),
  ),
  route(api.of, ({ params }, { network }) => ({
    groups: network.directory.groups
      .of(network.directory.require(params.number))
      .map((group) => viewGroup(network, group)),
  })),
  route(api.update, async ({ params, payload }, { network }) => {
    const { group, account } = find(network, params);
    const { subject, description, picture, ...settings } = payload;
    // settings first: an actor who may change them may change the rest
    changeSettings(network, group, account, settings);
    if (subject !== undefined) changeSubject(network, group, account, subject);
    if (description !== undefined) changeDescription(network, group, account, description);
    if (picture !== undefined) {
      requireEditor(group, account);
      const bytes = picture === null ? null : Buffer.from(picture, 'base64');
      await changePicture(network, group, account, bytes);
    }
    return viewGroup(network, group);
  }),
  route(api.create, ({ params, payload }, { network }) => {
    const creator = network.directory.require(params.number);
    const people = payload.participants.map((number) => named(network, number));
    const { group, outcomes } = createGroup(network, creator, { subject: payload.subject }, people);
    return { ...viewGroup(network, group), results: outcomes.map(viewOutcome) };
  }),
  route(api.participants, ({ params, payload }, { network }) => {
    const { group, account } = find(network, params);
    const people = payload.participants.map((number) => named(network, number));
    return { results: changeMembers(network, group, account, payload.action, people).map(viewOutcome) };
  }),
  route(api.answerRequests, ({ params, payload }, { network }) => {
    const { group, account } = find(network, params);
    const people = payload.participants.map((number) => named(network, number));
    return { results: answerRequests(network, group, account, payload.action, people).map(viewOutcome) };
  }),
  route(api.leave, ({ params }, { network }) => {
    const { group, account } = find(network, params);
    leaveGroup(network, group, account);
  }),
  route(api.inviteCode, ({ params }, { network }) => {
    const { group, account } = find(network, params);
    return { code: inviteCode(group, account) };
  }),
  route(api.renewInvite, ({ params }, { network }) => {
    const { group, account } = find(network, params);
    return { code: renewInvite(network, group, account) };
  }),
  route(api.join, ({ params, payload }, { network }) => {
    const group = network.directory.groups.requireByInvite(payload.code);
    joinByInvite(network, group, network.directory.require(params.number));
    return viewGroup(network, group);
  }),
];

function find(
  network: Network,
  { number, jid }: { number: string; jid: string },
): { group: Group; account: Account } {
  return { group: network.directory.groups.require(jid), account: network.directory.require(number) };
}

function named(network: Network, number: string): Named {
  return { jid: number, account: network.directory.byNumber(number) };
}

function viewOutcome({ jid: number, error = OK }: Outcome) {
  return { number, status: error };
}
