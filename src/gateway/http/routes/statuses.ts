import { statuses, statusInputs } from '../../../contract/statuses.js';
import { withFile } from '../file-body.js';
import { goneSignal } from '../gone.js';
import { type Route, route } from '../route.js';

export const statusRoutes: readonly Route[] = [
  route(statuses.postStatus, (request, { services }) =>
    withFile(request, statusInputs, services, (post, source) => {
      const key = request.headers['idempotency-key'];
      const gone = goneSignal(request);
      return source
        ? services.statuses.postFile(post, source, key, gone)
        : services.statuses.postText(post, key, gone);
    }),
  ),
  route(statuses.deleteStatus, async ({ payload }, { services }) => {
    await services.statuses.delete(payload);
    return { ok: true };
  }),
  route(statuses.getStatusPrivacy, ({ query: { clientId } }, { services }) =>
    services.statuses.privacy(clientId),
  ),
  route(statuses.setStatusPrivacy, async ({ payload }, { services }) => {
    await services.statuses.setPrivacy(payload);
    return { ok: true };
  }),
];
