import { Readable } from 'node:stream';
import type { Request, ResponseToolkit } from '@hapi/hapi';
import {
  type MediaBody,
  mediaInputs,
  messages,
  type SendAnswer,
  type SendHeaders,
  type SendMediaAnswer,
  sendMedia,
  sendOperation,
} from '../../../contract/messages.js';
import type { ClientQuery } from '../../../contract/schema.js';
import { sendableKinds } from '../../kinds/index.js';
import type { FilePayload, Services, SpooledFile } from '../../services/services.js';
import { bodyValidator, validated } from '../body.js';
import { goneSignal } from '../gone.js';
import type { Form } from '../multipart.js';
import { type Inputs, type Route, route } from '../route.js';
import { withUpload } from '../upload.js';

/** Browsers' fallback type; detect the type from name and content instead. */
const UNKNOWN_TYPE = 'application/octet-stream';
/** Empty fields of a form count as absent, except for these. */
const REQUIRED_PARTS: ReadonlySet<string> = new Set(['clientId', 'to']);

/** A request whose payload is a form as a stream, or JSON that is parsed and not validated yet. */
type MediaRequest = Request<Inputs<ClientQuery, MediaBody, object, SendHeaders>>;

const validateBody = bodyValidator(mediaInputs.body);
const validateParts = bodyValidator(mediaInputs.parts);

export const messageRoutes: readonly Route[] = [
  ...sendableKinds().map((kind) =>
    route(sendOperation(kind), async (request, { services }, h) => {
      const { payload, headers } = request;
      const key = headers['idempotency-key'];
      return taken(h, await services.sending.send(kind, payload, key, goneSignal(request)));
    }),
  ),
  route(sendMedia, async (request, { services }, h) => {
    const payload: unknown = request.payload;
    const isUpload = payload instanceof Readable;
    const sending = isUpload
      ? sendUploaded(request, payload, services)
      : sendByUrl(request, payload, services);
    return taken(h, await sending);
  }),
  route(messages.forwardMessage, (request, { services }) => {
    const { payload, headers } = request;
    return services.messages.forward(payload, headers['idempotency-key'], goneSignal(request));
  }),
  route(messages.starMessage, async ({ payload }, { services }) => {
    await services.messages.star(payload);
    return { ok: true };
  }),
];

/** Answers 202 instead of 200 for a message that is held. */
function taken(h: Pick<ResponseToolkit, 'response'>, answer: SendAnswer | SendMediaAnswer) {
  return answer.status === 'held' ? h.response(answer).code(202) : answer;
}

async function sendByUrl(
  request: MediaRequest,
  payload: unknown,
  { sending }: Services,
): Promise<SendMediaAnswer> {
  const { downloadUrl, sendAudioAsVoice, ...rest } = await validated(request, validateBody, payload);
  const file = { ...rest, asVoice: sendAudioAsVoice };
  const key = request.headers['idempotency-key'];
  return sending.sendFile(file, { downloadUrl }, key, goneSignal(request));
}

function sendUploaded(request: MediaRequest, body: Readable, services: Services): Promise<SendMediaAnswer> {
  return withUpload(request, body, services, async (form) => {
    const payload = await payloadOf(request, form);
    const key = request.headers['idempotency-key'];
    return services.sending.sendFile(payload, { file: form.file }, key, goneSignal(request));
  });
}

async function payloadOf(request: MediaRequest, form: Form<SpooledFile>): Promise<FilePayload> {
  const { fileName, mimeType } = form;
  const parts = await validated(request, validateParts, filledParts(form.fields));
  const { sendAudioAsVoice, asSticker, ...payload } = parts;
  return {
    ...payload,
    fileName,
    mimeType: mimeType === UNKNOWN_TYPE ? '' : mimeType,
    asVoice: sendAudioAsVoice === 'true',
    asSticker: asSticker === 'true',
  };
}

function filledParts(fields: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...fields].filter(([name, text]) => text !== '' || REQUIRED_PARTS.has(name)));
}
