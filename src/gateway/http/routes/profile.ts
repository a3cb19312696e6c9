import { ownPicture, profile } from '../../../contract/profile.js';
import { withFile } from '../file-body.js';
import { type Route, route } from '../route.js';

export const profileRoutes: readonly Route[] = [
  route(profile.getProfile, ({ query: { clientId } }, { services }) => services.profile.get(clientId)),
  route(profile.setProfile, async ({ payload: { clientId, ...changes } }, { services }) => {
    await services.profile.set(clientId, changes);
    return { ok: true };
  }),
  route(profile.setProfilePicture, async (request, { services }) => {
    await withFile(request, ownPicture, services, ({ clientId }, source) =>
      services.profile.setPicture(clientId, source),
    );
    return { ok: true };
  }),
];
