import type { OwnProfile, ProfileChanges } from '../../../contract/index.js';
import { liveLink, ownJid, type SessionSource } from '../access.js';
import type { FileSource, Media } from '../files/media.js';
import type { Avatars } from '../identities/avatars.js';
import { requireGroup } from '../identities/groups.js';

/**
 * The profiles of linked numbers, and the pictures that they may change: their own and those of their groups. All methods
 * throw session_unknown, session_unpaired, session_not_connected, lookup_failed, account_rejected.
 */
export class Profile {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    media: Pick<Media, 'portrait'>;
    avatars: Pick<Avatars, 'changed'>;
  }) {
    this.#options = options;
  }

  async get(clientId: string): Promise<OwnProfile> {
    const { sessions } = this.#options;
    const { account } = await liveLink(sessions, clientId);
    const profile = await account.profile();
    const session = sessions.find(clientId);
    const { pn } = session.record;
    return { jid: ownJid(session), phone: pn ? `+${pn}` : '', ...profile };
  }

  /** @throws app_state_rejected, send_not_connected for the name */
  async set(clientId: string, { name, about, disappearingSeconds }: ProfileChanges): Promise<void> {
    const { account } = await liveLink(this.#options.sessions, clientId);
    if (name !== undefined) await account.setName(name);
    if (about !== undefined) await account.setAbout(about);
    if (disappearingSeconds !== undefined) await account.setDisappearing(disappearingSeconds);
  }

  /**
   * Sets the own picture, or removes it without a source. An uploaded file is discarded by its caller.
   * @throws invalid_request, media_unfetchable, media_unsupported, media_too_large
   */
  async setPicture(clientId: string, source: FileSource | undefined): Promise<void> {
    const { sessions, avatars } = this.#options;
    const { account } = await liveLink(sessions, clientId);
    await account.setPicture(await this.#portrait(clientId, source));
    await avatars.changed(clientId, ownJid(sessions.find(clientId)));
  }

  /** Sets or removes the picture of a group. @throws also group_unknown, group_forbidden */
  async setGroupPicture(clientId: string, groupJid: string, source: FileSource | undefined): Promise<void> {
    const jid = requireGroup(groupJid);
    const { sessions, avatars } = this.#options;
    const { groups } = await liveLink(sessions, clientId);
    await groups.setPicture(jid, await this.#portrait(clientId, source));
    await avatars.changed(clientId, jid);
  }

  async #portrait(clientId: string, source: FileSource | undefined): Promise<Uint8Array | undefined> {
    return source && this.#options.media.portrait(clientId, source);
  }
}
