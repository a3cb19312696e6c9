import { ownPicture, profile } from '../../../contract/profile.js';
import { withPicture } from '../picture-body.js';
import { type Route, route } from '../route.js';

export const profileRoutes: readonly Route[] = [
  route(profile.getProfile, ({ query: { clientId } }, { services }) => services.profile.get(clientId)),
  route(profile.setProfile, async ({ payload: { clientId, ...changes } }, { services }) => {
    await services.profile.set(clientId, changes);
    return { ok: true };
  }),
  route(profile.setProfilePicture, async (request, { services }) => {
    await withPicture(request, ownPicture, services, ({ clientId }, source) =>
      services.profile.setPicture(clientId, source),
    );
    return { ok: true };
  }),
];
