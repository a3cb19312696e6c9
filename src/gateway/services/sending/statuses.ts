import type {
  StatusAnswer,
  StatusDeletion,
  StatusPost,
  StatusPrivacyChange,
  StatusPrivacyView,
} from '../../../contract/index.js';
import type { SendPayload } from '../../../contract/sends/send-request.js';
import { isChannel, type Person, STATUS_JID } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import { sessionMessage } from '../../../domain/session-message.js';
import { readAudience, type StatusAudience } from '../../../domain/status-audience.js';
import { readContent } from '../../kinds/index.js';
import { composeRevoke } from '../../kinds/revoke.js';
import type { Link, LinkFactory } from '../../link/link.js';
import type { Contact, SentRecord, SessionRecord, Store } from '../../store/store.js';
import { type LiveLinks, liveLink, requirePaired, type SessionSource } from '../access.js';
import type { FileSource, Media } from '../files/media.js';
import { readPersonAddress } from '../identities/contacts.js';
import type { Session } from '../sessions/session.js';
import { fileJob, type SendJob } from './job.js';
import type { Sends } from './send.js';
import { AddressSet, distinctPeople, StatusViewers } from './status-viewers.js';

const POST_ROUTE = '/post-status';
const DELETE_ROUTE = '/delete-status';
const OPAQUE = 0xff000000;
/** People whom `setPrivacy` looks up at the network for one request. */
const MAX_LOOK_UPS = 20;
/** Deleted statuses that are remembered. */
const MAX_DELETED = 10_000;

type FilePost = Pick<StatusPost, 'clientId' | 'caption' | 'audience' | 'metaData'>;

/**
 * Posts and deletes statuses, which are sent like messages, to an address that is no chat: each is recorded, resumed after a
 * crash, and announced. All methods throw session_unknown, session_unpaired, session_not_connected, lookup_failed.
 */
export class Statuses {
  readonly #options;
  readonly #viewers: StatusViewers;
  /** Statuses that were deleted here: a repetition would be announced again. */
  readonly #deleted = boundedCache<true>(MAX_DELETED);

  constructor(
    options: ConstructorParameters<typeof StatusViewers>[0] & {
      sessions: SessionSource;
      store: Pick<Store, 'sends' | 'journal'>;
      links: Pick<LinkFactory, 'decode' | 'restore'>;
      liveLinks: LiveLinks;
      media: Pick<Media, 'prepare'>;
      sends: Pick<Sends, 'run'>;
    },
  ) {
    this.#options = options;
    this.#viewers = new StatusViewers(options);
  }

  /**
   * @param idempotencyKey as for `Sends.send`
   * @throws as `Sends.send`, audience_empty
   */
  postText(post: StatusPost, idempotencyKey?: string, gone?: AbortSignal): Promise<StatusAnswer> {
    const { body = '', backgroundColor, font } = post;
    const look = {
      ...(backgroundColor && {
        backgroundArgb: (OPAQUE | Number.parseInt(backgroundColor.slice(1), 16)) >>> 0,
      }),
      ...(font !== undefined && { font }),
    };
    const content = { raw: { extendedTextMessage: { text: body, ...look } } };
    const payload = { ...addressOf(post), body };
    const job = { payload, request: post, compose: () => ({ content }), answer: () => ({}) };
    return this.#post(post, job, idempotencyKey, gone);
  }

  /**
   * Posts a picture or a video. An uploaded file is discarded by its caller.
   * @throws as `Sends.sendFile`, audience_empty, media_too_large
   */
  postFile(
    post: FilePost,
    source: FileSource,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<StatusAnswer> {
    const { caption = '', audience } = post;
    const wishes = { caption, mimeType: '', fileName: '', asVoice: false, asSticker: false };
    const payload = { ...addressOf(post), ...wishes };
    const job = fileJob(payload, source, this.#options.media, {
      only: ['image', 'video'],
      tooLarge: 'refuse',
    });
    return this.#post(post, { ...job, request: { ...job.request, audience } }, idempotencyKey, gone);
  }

  /**
   * Deletes an own status; does nothing for one that is deleted.
   * @throws as `Sends.send`, audience_empty, message_unknown, invalid_request for a message that is no status
   */
  async delete({ clientId, messageId }: StatusDeletion): Promise<void> {
    const { sessions, store, sends } = this.#options;
    const session = requirePaired(sessions, clientId);
    const key = sessionMessage(clientId, messageId);
    if (this.#deleted.has(key)) return;
    const posted = await store.sends.get(clientId, messageId);
    if (posted ? !this.#isStatus(posted) : !(await this.#isFromPhone(session.record, messageId)))
      throw new GatewayError('message_unknown', reason('status_unknown', { messageId }));
    // its content is erased once it is deleted
    if (posted?.content.length === 0) return;
    await sends.run({
      route: DELETE_ROUTE,
      payload: { clientId, to: STATUS_JID },
      request: { clientId, messageId },
      target: { messageId, fromMe: true },
      // the people who got it; one from the phone is deleted for those who may see the statuses now
      audience: async (gone) =>
        readAudience(posted?.audience) ?? this.#viewersFor(session, { isChange: true }, gone),
      compose: () => ({ content: composeRevoke({ remoteJid: STATUS_JID, id: messageId, fromMe: true }) }),
      answer: () => ({}),
    });
    this.#deleted.set(key, true);
  }

  /** Whether a recorded message is a status; false for the deletion of one. @throws GatewayError invalid_request */
  #isStatus({ messageId, to, content }: SentRecord): boolean {
    const kind = isChannel(to) ? 'channel_post' : 'message';
    if (to !== STATUS_JID)
      throw new GatewayError('invalid_request', reason('no_status', { messageId, kind }));
    return readContent(this.#options.links.decode(content)).reading.type !== 'revoke';
  }

  /** Whether the gateway has read an own status from the phone; the journal keeps it as long as it is shown, for a day. */
  async #isFromPhone(session: SessionRecord, messageId: string): Promise<boolean> {
    const { store, links } = this.#options;
    const copies = await store.journal.ofMessage(session.clientId, messageId);
    return links
      .restore(copies, session)
      .some(
        ({ chat, fromMe, content }) =>
          chat === STATUS_JID && fromMe && readContent(content).reading.type !== 'revoke',
      );
  }

  async privacy(clientId: string): Promise<StatusPrivacyView> {
    const { sessions, contacts } = this.#options;
    const { account } = await liveLink(sessions, clientId);
    const { mode, people } = await account.statusPrivacy();
    const known = await Promise.all(
      people.map(async (person) => (await contacts.find(clientId, person)) ?? person),
    );
    return { mode, people: known.map(toView) };
  }

  /** @throws recipient_unknown, invalid_request, app_state_rejected, send_not_connected */
  async setPrivacy({ clientId, mode, people = [] }: StatusPrivacyChange): Promise<void> {
    if ((mode === 'contacts') !== (people.length === 0)) {
      const flaw = mode === 'contacts' ? 'people must be empty' : 'people is required';
      throw new GatewayError('invalid_request', `${flaw} with the mode ${mode}`);
    }
    const { sessions, contacts } = this.#options;
    const link = await liveLink(sessions, clientId);
    const own = new AddressSet([sessions.find(clientId).record]);
    const persons: Person[] = [];
    const unknown: string[] = [];
    for (const one of people) {
      const address = readPersonAddress(one, 'people');
      if (own.has({ [address.kind]: address.user }))
        throw new GatewayError('invalid_request', `people: ${one} is the linked number itself; leave it out`);
      const known = await contacts.at(clientId, address);
      if (known) persons.push(known);
      else unknown.push(one);
    }
    if (unknown.length > MAX_LOOK_UPS) {
      const text = `people: the gateway does not know ${unknown.length} of them, and looks up ${MAX_LOOK_UPS} at most for one request; name fewer of these: ${unknown.slice(0, 3).join(', ')}, …`;
      throw new GatewayError('invalid_request', text);
    }
    for (const one of unknown) {
      const { kind, user } = await contacts.resolve(clientId, one, link, 'people');
      persons.push({ [kind]: user });
    }
    await link.account.setStatusPrivacy({ mode, people: distinctPeople(persons) });
  }

  async #post(
    { clientId, audience: named }: FilePost,
    job: Omit<SendJob, 'route' | 'audience'>,
    idempotencyKey: string | undefined,
    gone: AbortSignal | undefined,
  ): Promise<StatusAnswer> {
    const { sessions, sends } = this.#options;
    const audience: SendJob['audience'] = (ended) =>
      this.#viewersFor(requirePaired(sessions, clientId), { named }, ended);
    const {
      messageId,
      people = 0,
      mediaType,
      bytes,
    } = await sends.run({ ...job, route: POST_ROUTE, audience }, idempotencyKey, gone);
    const file = { ...(mediaType && { mediaType }), ...(bytes !== undefined && { bytes }) };
    return { status: 'sent', messageId, people, ...file };
  }

  #viewersFor(
    session: Session,
    narrowing: Parameters<StatusViewers['of']>[2],
    gone: AbortSignal | undefined,
  ): Promise<StatusAudience> {
    const find = (link: Link) => this.#viewers.of(session.record, link, narrowing);
    return this.#options.liveLinks.withLink(session, find, gone);
  }
}

/** The fields of every status that say where it goes. */
function addressOf({ clientId, metaData }: FilePost): SendPayload {
  return { clientId, to: STATUS_JID, ...(metaData && { metaData }) };
}

function toView(person: Partial<Contact>): StatusPrivacyView['people'][number] {
  const { lid = '', pn = '', name = '', pushName = '' } = person;
  return { lid, phone: pn && `+${pn}`, name: name || pushName };
}
