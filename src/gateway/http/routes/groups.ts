import { groupPicture, groups } from '../../../contract/groups.js';
import { withFile } from '../file-body.js';
import { type Route, route } from '../route.js';

export const groupRoutes: readonly Route[] = [
  route(groups.listGroups, async ({ payload }, { services }) => ({
    groups: await services.groups.list(payload.clientId),
  })),
  route(groups.getGroup, async ({ payload: { clientId, groupJid } }, { services }) => ({
    group: await services.groups.get(clientId, groupJid),
  })),
  route(groups.createGroup, async ({ payload: { clientId, subject, participants } }, { services }) => ({
    group: await services.groups.create(clientId, subject, participants),
  })),
  route(groups.updateGroupMembers, async ({ payload }, { services }) => {
    const { clientId, groupJid, action, participants } = payload;
    return { members: await services.groups.changeMembers(clientId, groupJid, action, participants) };
  }),
  route(groups.getGroupInviteLink, async ({ payload: { clientId, groupJid, reset } }, { services }) => ({
    link: await services.groups.inviteLink(clientId, groupJid, reset),
  })),
  route(groups.updateGroup, async ({ payload: { clientId, groupJid, ...settings } }, { services }) => {
    await services.groups.update(clientId, groupJid, settings);
    return { ok: true };
  }),
  route(groups.setGroupPicture, async (request, { services }) => {
    await withFile(request, groupPicture, services, ({ clientId, groupJid }, source) =>
      services.profile.setGroupPicture(clientId, groupJid, source),
    );
    return { ok: true };
  }),
  route(groups.listGroupRequests, async ({ payload: { clientId, groupJid } }, { services }) => ({
    requests: await services.groups.requests(clientId, groupJid),
  })),
  route(groups.updateGroupRequests, async ({ payload }, { services }) => {
    const { clientId, groupJid, action, participants } = payload;
    return { members: await services.groups.answerRequests(clientId, groupJid, action, participants) };
  }),
  route(groups.joinGroup, ({ payload: { clientId, invite } }, { services }) =>
    services.groups.join(clientId, invite),
  ),
  route(groups.getGroupInvite, async ({ payload: { clientId, invite } }, { services }) => ({
    group: await services.groups.invite(clientId, invite),
  })),
  route(groups.leaveGroup, async ({ payload: { clientId, groupJid } }, { services }) => {
    await services.groups.leave(clientId, groupJid);
    return { ok: true };
  }),
];
