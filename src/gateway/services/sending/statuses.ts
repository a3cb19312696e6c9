import type {
  StatusAnswer,
  StatusDeletion,
  StatusPost,
  StatusPrivacyChange,
  StatusPrivacyView,
} from '../../../contract/index.js';
import { formatJid, type Person, STATUS_JID } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type { StatusAudience, StatusPrivacyMode, StatusSetting } from '../../../domain/status-audience.js';
import { readAudience } from '../../../domain/status-audience.js';
import { composeRevoke } from '../../kinds/revoke.js';
import type { Link } from '../../link/link.js';
import type { Contact, Store } from '../../store/store.js';
import { type LiveLinks, liveLink, requirePaired, type SessionSource } from '../access.js';
import type { FilePayload, FileSource, Media } from '../files/media.js';
import type { Contacts } from '../identities/contacts.js';
import { type ComposedMessage, composeFile, fileAnswer, type SendJob } from './job.js';
import type { Sends } from './send.js';

const POST_ROUTE = '/post-status';
const DELETE_ROUTE = '/delete-status';
const SHOWN_TYPE = /^(image|video)\//;
const OPAQUE = 0xff000000;
/** The network's word for each mode. */
const SETTINGS: Readonly<Record<StatusPrivacyMode, StatusSetting>> = {
  contacts: 'contacts',
  except: 'denylist',
  only: 'allowlist',
};

type FilePost = Pick<StatusPost, 'clientId' | 'caption' | 'audience' | 'metaData'>;

/**
 * Posts and deletes statuses, which are sent like messages, to an address that is no chat: each is recorded, resumed after a
 * crash, and announced. All methods throw session_unknown, session_unpaired, session_not_connected, lookup_failed.
 */
export class Statuses {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    store: Pick<Store, 'sends' | 'contacts'>;
    liveLinks: LiveLinks;
    contacts: Contacts;
    media: Pick<Media, 'prepare'>;
    sends: Pick<Sends, 'run'>;
  }) {
    this.#options = options;
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
    return this.#post(post, { body, compose: () => ({ content }), request: post }, { idempotencyKey, gone });
  }

  /**
   * Posts a picture or a video. An uploaded file is discarded by its caller.
   * @throws as `Sends.sendFile`, audience_empty
   */
  postFile(
    post: FilePost,
    source: FileSource,
    idempotencyKey?: string,
    gone?: AbortSignal,
  ): Promise<StatusAnswer> {
    const isUpload = 'file' in source;
    const { caption } = post;
    const request = { ...post, ...(isUpload ? { sha256: source.file.sha256 } : source) };
    const compose = () => this.#composeFile(post, source);
    const answer: SendJob['answer'] = (content) => fileAnswer(content, isUpload);
    return this.#post(post, { caption, compose, request, answer }, { idempotencyKey, gone });
  }

  /** @throws as `Sends.send`, audience_empty, invalid_request for a message that is no status */
  async delete({ clientId, messageId }: StatusDeletion): Promise<void> {
    const { sessions, store, sends } = this.#options;
    const session = requirePaired(sessions, clientId);
    const posted = await store.sends.get(clientId, messageId);
    if (posted && posted.to !== STATUS_JID)
      throw new GatewayError('invalid_request', `messageId: ${messageId} is no status; use /delete-message`);
    await sends.run({
      route: DELETE_ROUTE,
      payload: { clientId, to: STATUS_JID },
      request: { clientId, messageId },
      target: { messageId, fromMe: true },
      // the people who got it; one from the phone is deleted for those who may see the statuses now
      audience: async (gone) =>
        readAudience(posted?.audience) ?? this.#audience(session.clientId, undefined, gone),
      compose: () => ({ content: composeRevoke({ remoteJid: STATUS_JID, id: messageId, fromMe: true }) }),
      answer: () => ({}),
    });
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
    const persons: Person[] = [];
    for (const one of people) {
      const { kind, user } = await contacts.resolve(clientId, one, link, 'people');
      if (kind === 'group') throw new GatewayError('invalid_request', 'people: a group cannot see statuses');
      persons.push({ [kind]: user });
    }
    await link.account.setStatusPrivacy({ mode, people: persons });
  }

  async #post(
    { clientId, audience: named, metaData }: FilePost,
    {
      compose,
      request,
      answer = () => ({}),
      ...texts
    }: Pick<SendJob, 'request'> & {
      body?: string;
      caption?: string;
      compose(): ComposedMessage | Promise<ComposedMessage>;
      answer?: SendJob['answer'];
    },
    { idempotencyKey, gone }: { idempotencyKey: string | undefined; gone: AbortSignal | undefined },
  ): Promise<StatusAnswer> {
    const payload = { clientId, to: STATUS_JID, ...texts, ...(metaData && { metaData }) };
    const audience: SendJob['audience'] = (ended) => this.#audience(clientId, named, ended);
    const job = { route: POST_ROUTE, payload, request, compose, audience, answer };
    const {
      messageId,
      people = 0,
      mediaType,
      bytes,
    } = await this.#options.sends.run(job, idempotencyKey, gone);
    const file = { ...(mediaType && { mediaType }), ...(bytes !== undefined && { bytes }) };
    return { status: 'sent', messageId, people, ...file };
  }

  /**
   * Who gets a status: the people in the address book whom the privacy setting lets see it, by LID where known.
   * @param named only these of them
   * @throws GatewayError audience_empty, recipient_unknown
   */
  async #audience(
    clientId: string,
    named: readonly string[] | undefined,
    gone: AbortSignal | undefined,
  ): Promise<StatusAudience> {
    const { sessions, liveLinks } = this.#options;
    const session = requirePaired(sessions, clientId);
    return liveLinks.withLink(session, (link) => this.#audienceOver(link, clientId, named), gone);
  }

  async #audienceOver(
    link: Link,
    clientId: string,
    named: readonly string[] | undefined,
  ): Promise<StatusAudience> {
    const { store, contacts } = this.#options;
    // a look-up may find the LID of a contact
    const wanted = named && new Set(await this.#jidsOf(link, clientId, named));
    const { mode, people } = await link.account.statusPrivacy();
    const listed = await Promise.all(
      people.map(async (one) => toJid((await contacts.find(clientId, one)) ?? one)),
    );
    const book = mode === 'only' ? [] : (await store.contacts.named(clientId)).map(toJid);
    const own = new Set(ownJids(requirePaired(this.#options.sessions, clientId).record));
    const allowed = new Set(
      (mode === 'only' ? listed : book.filter((jid) => mode === 'contacts' || !listed.includes(jid))).filter(
        (jid) => jid !== '' && !own.has(jid),
      ),
    );
    const chosen = [...allowed].filter((jid) => !wanted || wanted.has(jid));
    if (chosen.length > 0) return { setting: wanted ? 'allowlist' : SETTINGS[mode], people: chosen };
    throw nobody(mode, named !== undefined);
  }

  async #jidsOf(link: Link, clientId: string, named: readonly string[]): Promise<string[]> {
    const jids: string[] = [];
    for (const one of named)
      jids.push(formatJid(await this.#options.contacts.resolve(clientId, one, link, 'audience')));
    return jids;
  }

  async #composeFile(post: FilePost, source: FileSource): Promise<ComposedMessage> {
    const payload: FilePayload = {
      ...{ clientId: post.clientId, to: STATUS_JID, caption: post.caption },
      ...{ mimeType: '', fileName: '', asVoice: false, asSticker: false },
    };
    const prepared = await this.#options.media.prepare(payload, source);
    if ('fallback' in prepared)
      throw new GatewayError('media_too_large', 'downloadUrl leads to a file of more than 60 MB');
    const { file, discard } = prepared;
    try {
      if (!SHOWN_TYPE.test(file.mimeType))
        throw new GatewayError('media_unsupported', `a status is a picture or a video, not ${file.mimeType}`);
      const context = { chat: STATUS_JID, now: 0, mentionedJids: [] };
      return { content: composeFile(file, payload, context), discard };
    } catch (error) {
      // the error of the request matters more than a file that stays until the next start
      await discard().catch(() => undefined);
      throw error;
    }
  }
}

function ownJids({ lid, pn }: { lid: string; pn: string }): string[] {
  return [toJid({ lid }), toJid({ pn })];
}

/** The LID if it is known, otherwise the number; empty without both. */
function toJid({ lid, pn }: Person): string {
  if (lid) return formatJid({ kind: 'lid', user: lid });
  return pn ? formatJid({ kind: 'pn', user: pn }) : '';
}

function toView(person: Partial<Contact>): StatusPrivacyView['people'][number] {
  const { lid = '', pn = '', name = '', pushName = '' } = person;
  return { lid, phone: pn && `+${pn}`, name: name || pushName };
}

function nobody(mode: StatusPrivacyMode, isNamed: boolean): GatewayError {
  const why = isNamed
    ? 'nobody in audience may see the statuses of this account: they must be contacts of the linked phone, and not left out by /status-privacy'
    : mode === 'only'
      ? 'the privacy setting names nobody; change it with /set-status-privacy or on the phone'
      : "the gateway knows no contact in the linked phone's address book who may see it";
  return new GatewayError('audience_empty', `Nothing was sent, because nobody could see the status: ${why}.`);
}
