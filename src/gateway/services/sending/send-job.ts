import Joi from 'joi';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import type { Address } from '../../../domain/address.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { kindOfFile, readContent, sendableKinds } from '../../kinds/index.js';
import type { ComposeContext, Composed, Content, KindSend, Target } from '../../kinds/kind.js';
import type { Link } from '../../link/link.js';
import type { Media, PreparedFile } from '../files/media.js';
import type { Contacts } from '../identities/contacts.js';
import type { FilePayload, FileSource } from '../services.js';
import type { HeldRequest } from './held-queue.js';
import type { SentAnswer } from './idempotency.js';

/** One request to send a message. */
export interface SendJob {
  /** Path of the route, for metrics and idempotency. */
  route: string;
  payload: SendPayload;
  /** The request, to compare it with an earlier one under the same Idempotency-Key. */
  request: object;
  /** The earlier message that it replies to, changes or reacts to. */
  target?: Target | undefined;
  /** @param rename replaces each mention in a text by its form on the wire: phones show a name only if both match */
  compose(context: ComposeContext, rename: (text: string) => string): Composed | Promise<Composed>;
  /** File name of the composed message; empty if neither the caller nor the host gave one. */
  fileName?(): string;
  /** Fields of the answer beside `status` and `messageId`, from the content that was sent. */
  answer(content: Content): Partial<SentAnswer>;
  /** Called after the send, successful or not: discards the file of the message. */
  end?(): Promise<void>;
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
      return kind.compose(withTexts(payload, rename), { ...context, ...(preview && { preview }) });
    },
    answer: () => kind.answer?.(payload) ?? {},
  };
}

/** The job that sends a file; composing its message downloads and inspects the file. */
export function fileJob(payload: FilePayload, source: FileSource, media: Pick<Media, 'prepare'>): SendJob {
  let prepared: PreparedFile | undefined;
  const isUpload = 'file' in source;
  return {
    route: FILE_ROUTE,
    payload,
    request: { ...payload, ...(isUpload ? { sha256: source.file.sha256 } : source) },
    async compose(context, rename) {
      const named = withTexts(payload, rename);
      prepared = await media.prepare(named, source);
      return composeFile(prepared, named, context);
    },
    fileName: () => (prepared && 'file' in prepared ? prepared.givenName : ''),
    answer: (content) => fileAnswer(content, isUpload),
    async end() {
      if (prepared && 'file' in prepared) await prepared.discard();
    },
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

function composeFile(prepared: PreparedFile, payload: FilePayload, context: ComposeContext): Composed {
  const { mentionedJids } = context;
  if ('fallback' in prepared) {
    return { ...prepared.fallback, ...(mentionedJids.length > 0 && { mentions: mentionedJids }) };
  }
  const { file } = prepared;
  const kind = kindOfFile(file.mimeType, payload);
  if (kind) return kind.file.compose(file, payload, context);
  throw new GatewayError('media_unsupported', `no kind of message takes a file of type ${file.mimeType}`);
}

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

/** The text with each `@<user-part>` of a mention as it is on the wire. @param named user-parts on the wire, by those of the caller */
export function renamed(text: string, named: ReadonlyMap<string, string>): string {
  return text.replace(/@\+?(\d+)/g, (mention, user: string) => {
    const name = named.get(user);
    return name ? `@${name}` : mention;
  });
}

export function userIn(mention: string): string {
  return mention.replace(/^\+/, '');
}

/**
 * The addresses of mentioned people, in their order. A mention is a LID or phone digits (with or without `+`). An
 * unknown address is looked up; if the network does not know it either, it counts as a LID, so that the text is still
 * sent.
 */
export function mentionedPeople(
  clientId: string,
  mentions: readonly string[],
  contacts: Contacts,
  link: Link,
): Promise<Address[]> {
  return Promise.all(mentions.map((mention) => findMentioned(clientId, mention, contacts, link)));
}

async function findMentioned(
  clientId: string,
  mention: string,
  contacts: Contacts,
  link: Link,
): Promise<Address> {
  const user = userIn(mention);
  const forms = mention.startsWith('+') ? [{ pn: user }] : [{ lid: user }, { pn: user }];
  for (const form of forms) {
    const contact = await contacts.find(clientId, form);
    if (contact) return addressOf(contact);
  }
  for (const form of forms) {
    const to = form.pn ? `+${user}` : user;
    const address = await contacts.resolve(clientId, to, link).catch((error: unknown) => {
      if (isUnknown(error, link)) return undefined;
      throw error;
    });
    if (address) return address;
  }
  return mention.startsWith('+') ? { kind: 'pn', user } : { kind: 'lid', user };
}

/** True if the person is unknown, which must not prevent the send; false for a look-up that failed because the link ended, which is repeated. */
function isUnknown(error: unknown, link: Link): boolean {
  return (
    isGatewayError(error, 'recipient_unknown') || (isGatewayError(error, 'lookup_failed') && link.isUp())
  );
}

function addressOf(contact: { lid: string; pn: string }): Address {
  return contact.lid ? { kind: 'lid', user: contact.lid } : { kind: 'pn', user: contact.pn };
}
