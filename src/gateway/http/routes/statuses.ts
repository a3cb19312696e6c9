import { Readable } from 'node:stream';
import { type StatusAnswer, statuses, statusInputs } from '../../../contract/statuses.js';
import { bodyValidator, validated } from '../body.js';
import { goneSignal } from '../gone.js';
import { type Route, route } from '../route.js';
import { withUpload } from '../upload.js';

const validateBody = bodyValidator(statusInputs.body);
const validateParts = bodyValidator(statusInputs.parts);

export const statusRoutes: readonly Route[] = [
  route(statuses.postStatus, async (request, { services }): Promise<StatusAnswer> => {
    const payload: unknown = request.payload;
    const key = request.headers['idempotency-key'];
    const gone = goneSignal(request);
    if (payload instanceof Readable)
      return withUpload(request, payload, services, async ({ file, fields }) => {
        const post = await validated(request, validateParts, Object.fromEntries(fields));
        return services.statuses.postFile(post, { file }, key, gone);
      });
    const { downloadUrl, ...post } = await validated(request, validateBody, payload);
    return downloadUrl === undefined
      ? services.statuses.postText(post, key, gone)
      : services.statuses.postFile(post, { downloadUrl }, key, gone);
  }),
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
