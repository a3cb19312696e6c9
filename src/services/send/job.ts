import { GatewayError } from '../../domain/errors.js';
import { kindOfFile, readContent } from '../../kinds/index.js';
import type { ComposeContext, Composed, Content, KindSend, SendPayload, Target } from '../../kinds/kind.js';
import type { Media, PreparedFile } from '../media/media.js';
import type { FilePayload, FileSource, SendAnswer } from '../services.js';

/** Something to be sent, whatever it is. */
export interface SendJob {
  /** The route that asks for it. */
  route: string;
  payload: SendPayload;
  /** What makes it the same request as an earlier one under the same Idempotency-Key. */
  request: object;
  /** The earlier message that it is about. */
  target?: Target | undefined;
  compose(context: ComposeContext): Composed | Promise<Composed>;
  /** What the answer tells beside `status` and `messageId`, of the message that was sent. */
  answer(content: Content): Partial<SendAnswer>;
}

/** Sends a file; `end` must be called once the send has ended, however it did. */
export interface FileJob extends SendJob {
  end(): Promise<void>;
}

/** The route that sends files. */
const FILE_ROUTE = '/send-media-message';

/** Sends a message of a kind. */
export function kindJob(kind: KindSend, payload: SendPayload): SendJob {
  return {
    route: kind.path,
    payload,
    request: payload,
    target: kind.target?.(payload),
    compose: (context) => kind.compose(payload, context),
    answer: () => kind.answer?.(payload) ?? {},
  };
}

/** Sends a file; it is fetched and looked at when its message is composed. */
export function fileJob(payload: FilePayload, source: FileSource, media: Pick<Media, 'prepare'>): FileJob {
  let prepared: PreparedFile | undefined;
  const isUpload = 'file' in source;
  return {
    route: FILE_ROUTE,
    payload,
    request: { ...payload, ...(isUpload ? { sha256: source.file.sha256 } : source) },
    async compose(context) {
      prepared = await media.prepare(payload, source);
      return composeFile(prepared, payload, context);
    },
    answer: (content) => fileAnswer(content, isUpload),
    async end() {
      if (prepared && 'file' in prepared) await prepared.discard();
    },
  };
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

function fileAnswer(content: Content, isUpload: boolean): Partial<SendAnswer> {
  const media = readContent(content).reading.extra?.media;
  if (!media) return { fallback: 'text' };
  const { mediaType, fileSize } = media;
  return { mediaType, ...(!isUpload && { bytes: fileSize }) };
}
