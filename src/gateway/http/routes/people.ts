import { people } from '../../../contract/people.js';
import { type Route, route } from '../route.js';

export const peopleRoutes: readonly Route[] = [
  route(people.getUserInfo, ({ payload: { clientId, jid, withContact } }, { services }) =>
    services.people.userInfo(clientId, jid, { withContact }),
  ),
  route(people.checkOwnerLid, ({ payload: { clientId, number } }, { services }) =>
    services.people.ownerLid(clientId, number),
  ),
  route(people.getProfilePicture, ({ query: { clientId, jid, preview, refresh } }, { services }) =>
    services.avatars.picture(clientId, jid, { preview, refresh }),
  ),
  route(people.listBlocked, async ({ query: { clientId } }, { services }) => ({
    blocked: await services.people.blocked(clientId),
  })),
  route(people.blockPerson, async ({ payload: { clientId, jid } }, { services }) => {
    await services.people.setBlocked(clientId, jid, true);
    return { ok: true };
  }),
  route(people.unblockPerson, async ({ payload: { clientId, jid } }, { services }) => {
    await services.people.setBlocked(clientId, jid, false);
    return { ok: true };
  }),
  route(people.refreshAvatars, ({ payload: { clientId, force } }, { services }) =>
    services.avatars.refreshAll(clientId, force),
  ),
];
