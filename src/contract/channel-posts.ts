import { MESSAGE_EVENT_TYPES } from './events/catalogue.js';
import { count, named, oneOf, optional, text } from './schema.js';

const channelPostMedia = named('ChannelPostMedia', {
  mimeType: text,
  fileSize: count.description('Bytes'),
  seconds: optional(count),
  width: optional(count).description('Pixels'),
  height: optional(count),
  url: text.description("The network's address of the file, which is not encrypted"),
  fileSha256: text.description('SHA-256 in base64; may be empty'),
});

/** The content of a post in events and in answers. */
export const channelPostContent = {
  kind: oneOf(...MESSAGE_EVENT_TYPES, '').description(
    'The kind of the content, such as `text` or `image`; empty for a deleted post',
  ),
  body: text.description('Text, caption or rendered text'),
  media: optional(channelPostMedia).description('The file of the post'),
};
