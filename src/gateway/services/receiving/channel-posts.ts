import { createHash } from 'node:crypto';
import type { ChannelPostContent, ChannelPostEvent } from '../../../contract/events/catalogue.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { readContent } from '../../kinds/index.js';
import type { ChannelPost } from '../../link/channels.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { Announcements } from '../receivers/announce.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { KnownMessages } from './known-messages.js';

/** Posts, of all sessions together, that are remembered to recognise repetitions. */
const MAX_POSTS = 10_000;

/**
 * Announces posts of channels, each change once: the network repeats a post if our acknowledgement was lost. Posts are no
 * messages: they are in no chat, no history and no journal.
 */
export class ChannelPosts implements SessionPart {
  readonly #options;
  readonly #told = boundedCache<true>(MAX_POSTS);

  constructor(options: {
    announcements: Pick<Announcements, 'optIn'>;
    known: Pick<KnownMessages, 'erase'>;
    log: Logger;
  }) {
    this.#options = options;
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'link' || heard.event.type !== 'channel-post') return;
    const { record } = heard.session;
    const { clientId } = record;
    this.announce(record, heard.event.post).catch((err: unknown) =>
      this.#options.log.warn({ err, clientId }, 'a deleted post is not erased'),
    );
  }

  /** Resolves when the content of a deleted post is forgotten, if it was an own one. */
  async announce(session: SessionRecord, post: ChannelPost): Promise<void> {
    this.#tell(session, post);
    const { channel, messageId, change } = post;
    if (change === 'deleted') await this.#options.known.erase(session.clientId, messageId, channel);
  }

  #tell(session: SessionRecord, post: ChannelPost): void {
    const { clientId, orgId } = session;
    const { channel: channelJid, messageId, serverId, change: action, fromMe, timestamp, editedAt } = post;
    const content = contentOf(post);
    // without the time of an edit, the content tells a later edit from a repetition
    const version = editedAt ?? (action === 'edited' ? hashOf(content) : '');
    const key = [clientId, channelJid, messageId, action, version].join(' ');
    if (this.#told.has(key)) return;
    this.#told.set(key, true);
    const event: ChannelPostEvent = {
      event: 'channel.post',
      type: 'channel_post',
      ...{ clientId, orgId, channelJid, messageId, serverId, action, fromMe },
      timestamp: new Date((action === 'edited' && editedAt) || timestamp).toISOString(),
      ...content,
    };
    this.#options.announcements.optIn(session, event);
  }
}

function hashOf(content: ChannelPostContent): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64');
}

/** The content of a post as events and answers show it. */
export function contentOf({ change, content }: Pick<ChannelPost, 'change' | 'content'>): ChannelPostContent {
  if (change === 'deleted') return { kind: '', body: '' };
  const { type: kind, body, extra } = readContent(content).reading;
  if (!extra?.media) return { kind, body };
  const { mimeType, fileSize, seconds, width, height, download } = extra.media;
  return {
    kind,
    body,
    media: {
      ...{ mimeType, fileSize },
      ...(seconds !== undefined && { seconds }),
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
      url: download.url,
      fileSha256: download.fileSha256,
    },
  };
}
