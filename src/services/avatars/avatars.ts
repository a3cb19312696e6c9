import { type Address, parseJid, parseRecipient } from '../../domain/address.js';
import { GatewayError, isGatewayError } from '../../domain/errors.js';
import type { Link } from '../../link/link.js';
import type { PictureRecord } from '../../store/store.js';
import { lidJid } from '../authorship.js';
import { ADDRESS_FORMS, type Contacts } from '../contacts.js';
import { requirePaired, type SessionSource } from '../send/paired.js';
import type { Avatars as AvatarCalls, AvatarCounts, PictureView } from '../services.js';
import type { PictureOf, Pictures } from './pictures.js';
import type { AvatarRefresh } from './refresh.js';

export interface AvatarsOptions {
  sessions: SessionSource;
  contacts: Contacts;
  pictures: Pictures;
  refresh: AvatarRefresh;
  /** @throws GatewayError session_unknown, session_unpaired, session_not_connected */
  linkOf(clientId: string): Promise<Link>;
}

const REASONS: Record<string, string> = {
  none: 'no picture',
  hidden: 'hidden by privacy settings',
};

/** Profile pictures for callers. */
export class Avatars implements AvatarCalls {
  readonly #options: AvatarsOptions;

  constructor(options: AvatarsOptions) {
    this.#options = options;
  }

  async picture(
    clientId: string,
    jid: string,
    { preview, refresh }: { preview: boolean; refresh: boolean },
  ): Promise<PictureView> {
    const { sessions, pictures } = this.#options;
    requirePaired(sessions, clientId);
    const of: PictureOf = { clientId, address: await this.#addressOf(clientId, jid), preview };
    const known = refresh ? undefined : await pictures.fresh(of);
    const picture = known ? await pictures.completed(of, known) : await pictures.ask(of);
    return viewOf(picture, pictures.linkTo(picture));
  }

  refreshAll(clientId: string, force: boolean): Promise<AvatarCounts> {
    return this.#options.refresh.run(clientId, force);
  }

  /** The network tells that a picture has changed. @param jid in either address */
  async changed(clientId: string, jid: string): Promise<void> {
    const { contacts, pictures } = this.#options;
    const address = parseJid(jid);
    const contact = address?.kind === 'pn' ? await contacts.find(clientId, { pn: address.user }) : undefined;
    await pictures.changed(clientId, contact?.lid ? lidJid(contact.lid) : jid);
  }

  /** Only a person who was never seen has to be looked up. @throws GatewayError not_found, invalid_request */
  async #addressOf(clientId: string, jid: string): Promise<Address> {
    const { contacts, linkOf } = this.#options;
    if (!parseRecipient(jid)) throw new GatewayError('invalid_request', `jid must be ${ADDRESS_FORMS}`);
    try {
      return await contacts.resolve(
        clientId,
        jid,
        { lookUp: async (a) => (await linkOf(clientId)).lookUp(a) },
        'jid',
      );
    } catch (error) {
      if (!isGatewayError(error, 'recipient_unknown')) throw error;
      throw new GatewayError('not_found', error.message, { cause: error });
    }
  }
}

function viewOf(picture: PictureRecord, storedUrl: string): PictureView {
  const { jid, version, preview, url, reason } = picture;
  if (reason) return { jid, url: '', reason: REASONS[reason] ?? reason };
  return { jid, id: version, type: preview ? 'preview' : 'full', url, storedUrl, mirrored: storedUrl !== '' };
}
