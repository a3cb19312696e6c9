import Joi from 'joi';
import { anyFields, count, flag, named, optional, text } from './schema.js';

const binary = text.description('base64');

/** A file in an event. */
export const eventMedia = named('EventMedia', {
  mimeType: text,
  mediaType: text,
  fileName: text,
  fileSize: count.description('Bytes'),
  caption: text,
  seconds: optional(count),
  width: optional(count).description('Pixels'),
  height: optional(count).description('Pixels'),
  voice: optional(flag).description('A voice note, recorded in the chat'),
  animated: optional(flag),
  viewOnce: optional(flag),
  downloadUrl: optional(text).description('Permanent link to the stored file; with the hosted inbox only'),
  download: named('EventMediaDownload', {
    url: text,
    directPath: text,
    mediaKey: binary.description('base64; a secret'),
    fileSha256: binary,
    fileEncSha256: binary,
    mediaKeyTimestamp: count.description('Seconds since the epoch'),
  }).description("The network's address of the encrypted file, and its key"),
});

/** A field of `metaData` as the caller wrote it: any JSON. */
const picked = optional(Joi.any());
/** The `metaData` of an own send in its event. */
export const eventMeta = named('EventMeta', {
  fromAI: picked.description('`true` also flags the stored message as sent by an AI'),
  ...{ userId: picked, userName: picked, sender: picked, name: picked },
  raw: anyFields().description('The whole `metaData` of the send'),
})
  .unknown()
  .description(
    'The `metaData` of an API send, and those of its fields that have a meaning, as the caller wrote them',
  );
