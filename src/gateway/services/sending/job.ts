import Joi from 'joi';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import { GatewayError } from '../../../domain/errors.js';
import type { StatusAudience } from '../../../domain/status-audience.js';
import { kindOfFile, readContent, sendableKinds } from '../../kinds/index.js';
import type { ComposeContext, Composed, Content, KindSend, OutgoingFile, Target } from '../../kinds/kind.js';
import type { MediaType } from '../../kinds/media.js';
import type { FilePayload, FileSource, Media } from '../files/media.js';
import type { Session } from '../sessions/session.js';
import type { HeldRequest } from './held-queue.js';
import type { SentAnswer } from './idempotency.js';

/** Counts sends. */
export interface SendObserver {
  sent(route: string): void;
  sendFailed(code: string): void;
}

/** One request to send a message. */
export interface SendJob {
  /** Path of the route, for metrics and idempotency. */
  route: string;
  payload: SendPayload;
  /** The request, to compare it with an earlier one under the same Idempotency-Key. */
  request: object;
  /** The jid of the channel that it is a post of, once the number may post there: nobody is looked up for it. */
  channel?(gone: AbortSignal | undefined): Promise<string>;
  /** The earlier message that it replies to, changes or reacts to. */
  target?: Target | undefined;
  /** Who gets it, for a status, which has no recipient. `payload.to` is then the address of all statuses. */
  audience?(gone: AbortSignal | undefined): Promise<StatusAudience>;
  /** @param rename replaces each mention in a text by its form on the wire: phones show a name only if both match */
  compose(
    context: ComposeContext,
    rename: (text: string) => string,
  ): ComposedMessage | Promise<ComposedMessage>;
  /** Fields of the answer beside `status` and `messageId`, from the content that was sent. */
  answer(content: Content): Partial<SentAnswer>;
}

/** A request on its way through the steps of a send. */
export interface Send {
  session: Session;
  job: SendJob;
  messageId: string;
  /** Aborted when the caller hangs up, if nobody else can ask for the answer. */
  gone?: AbortSignal | undefined;
}

/** What a job composes. */
export interface ComposedMessage {
  content: Composed;
  /** File name of the message; empty if neither the caller nor the host gave one. */
  fileName?: string;
  /** Removes the message's file from the disk; called once when its send has ended. */
  discard?(): Promise<void>;
}

/** The route that sends files. */
const FILE_ROUTE = '/send-media-message';

/** The job that sends a message of a kind. Composing the message fetches the preview of its link, if previews are on. */
export function kindJob(
  kind: KindSend,
  payload: SendPayload,
  { media, linkPreviews }: { media: Pick<Media, 'preview'>; linkPreviews: boolean },
): SendJob {
  const link = kind.link?.(payload);
  return {
    route: kind.path,
    payload,
    request: payload,
    target: kind.target?.(payload),
    async compose(context, rename) {
      const preview =
        link && (link.wanted ?? linkPreviews) ? await media.preview(payload.clientId, link.url) : undefined;
      return {
        content: kind.compose(withTexts(payload, rename), { ...context, ...(preview && { preview }) }),
      };
    },
    answer: () => kind.answer?.(payload) ?? {},
  };
}

/** The differences between the routes that send files. */
export interface FileRules {
  route?: string;
  /** The only kinds of files that the route takes; a file of another kind is refused with `media_unsupported`. */
  only?: readonly MediaType[];
  /** Whether a file by URL that is too large is sent as a text with its link, or refused with `media_too_large`. */
  tooLarge?: 'text' | 'refuse';
}

/** The job that sends a file; composing its message downloads and inspects the file. */
export function fileJob(
  payload: FilePayload,
  source: FileSource,
  media: Pick<Media, 'prepare'>,
  { route = FILE_ROUTE, only, tooLarge = 'text' }: FileRules = {},
): SendJob {
  const isUpload = 'file' in source;
  return {
    route,
    payload,
    request: { ...payload, ...(isUpload ? { sha256: source.file.sha256 } : source) },
    async compose(context, rename) {
      const named = withTexts(payload, rename);
      const prepared = await media.prepare(named, source);
      if ('fallback' in prepared) {
        if (tooLarge === 'text') return { content: composeFallback(prepared.fallback, context) };
        throw new GatewayError('media_too_large', 'downloadUrl leads to a file of more than 60 MB');
      }
      const { file, givenName, discard } = prepared;
      try {
        return { content: composeFile(file, named, context, only), fileName: givenName, discard };
      } catch (error) {
        // the error of the request matters more than a file that stays until the next start
        await discard().catch(() => undefined);
        throw error;
      }
    },
    answer: (content) => fileAnswer(content, isUpload),
  };
}

const heldFile = Joi.object<FilePayload & { downloadUrl: string }>({
  clientId: Joi.string().required(),
  to: Joi.string().required(),
  downloadUrl: Joi.string().required(),
  asVoice: Joi.boolean().required(),
  asSticker: Joi.boolean().required(),
}).unknown();

/** The job of a stored request. @throws GatewayError `store_damaged` if this release does not know such a request */
export function heldJob(
  { route, request }: Pick<HeldRequest, 'route' | 'request'>,
  options: { media: Pick<Media, 'prepare' | 'preview'>; linkPreviews: boolean },
): SendJob {
  const damaged = (cause: unknown) =>
    new GatewayError('store_damaged', `A held message cannot be read (${route}).`, { cause });
  if (route === FILE_ROUTE) {
    const { value, error } = heldFile.validate(request);
    if (error) throw damaged(error);
    const { downloadUrl, ...payload } = value;
    return fileJob(payload, { downloadUrl }, options.media);
  }
  const kind = sendableKinds().find(({ path }) => path === route);
  if (!kind) throw damaged(undefined);
  const { value, error } = kind.payload.validate(request);
  if (error) throw damaged(error);
  return kindJob(kind, value, options);
}

function composeFallback(fallback: { text: string }, { mentionedJids }: ComposeContext): Composed {
  return { ...fallback, ...(mentionedJids.length > 0 && { mentions: mentionedJids }) };
}

/** The message of a file, by the first kind that takes its type. @throws GatewayError media_unsupported */
function composeFile(
  file: OutgoingFile,
  payload: FilePayload,
  context: ComposeContext,
  only: FileRules['only'],
): Composed {
  const kind = kindOfFile(file.mimeType, payload);
  const isTaken = kind && (!only || only.some((name) => name === kind.name));
  if (isTaken) return kind.file.compose(file, payload, context);
  const what = only
    ? `only files of the kinds ${only.join(' and ')} are taken here`
    : 'no kind of message takes it';
  throw new GatewayError('media_unsupported', `${what}: the file is of type ${file.mimeType}`);
}

/** Fields of the answer to a file, from the content that was sent. */
function fileAnswer(content: Content, isUpload: boolean): Partial<SentAnswer> {
  const media = readContent(content).reading.extra?.media;
  if (!media) return { fallback: 'text' };
  const { mediaType, fileSize } = media;
  return { mediaType, ...(!isUpload && { bytes: fileSize }) };
}

/** The fields of payloads whose text may mention people. */
const TEXTS: readonly string[] = ['body', 'caption', 'bodyText', 'footerText', 'pollName'];

function textsOf(payload: object): (readonly [name: string, text: string])[] {
  return Object.entries(payload).flatMap(([name, text]) =>
    TEXTS.includes(name) && typeof text === 'string' ? [[name, text] as const] : [],
  );
}

/** All texts of a payload. */
export function textIn(payload: object): string {
  return textsOf(payload)
    .map(([, text]) => text)
    .join('\n');
}

function withTexts<Payload extends SendPayload>(payload: Payload, rename: (text: string) => string): Payload {
  const texts = textsOf(payload).map(([name, text]) => [name, rename(text)] as const);
  return { ...payload, ...Object.fromEntries(texts) };
}
