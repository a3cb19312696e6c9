import type { OwnProfile, ProfileChanges } from '../../../contract/index.js';
import { liveLink, ownJid, type SessionSource } from '../access.js';
import type { Media } from '../files/media.js';
import type { Avatars } from '../identities/avatars.js';
import { requireGroup } from '../identities/groups.js';
import type { FileSource, Profile as ProfileCalls } from '../services.js';

/** The profiles of linked numbers, and the pictures that they may change: their own and those of their groups. */
export class Profile implements ProfileCalls {
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

  async set(clientId: string, { name, about, disappearingSeconds }: ProfileChanges): Promise<void> {
    const { account } = await liveLink(this.#options.sessions, clientId);
    if (name !== undefined) await account.setName(name);
    if (about !== undefined) await account.setAbout(about);
    if (disappearingSeconds !== undefined) await account.setDisappearing(disappearingSeconds);
  }

  async setPicture(clientId: string, source: FileSource | undefined): Promise<void> {
    const { sessions, avatars } = this.#options;
    const { account } = await liveLink(sessions, clientId);
    await account.setPicture(await this.#portrait(clientId, source));
    await avatars.changed(clientId, ownJid(sessions.find(clientId)));
  }

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
