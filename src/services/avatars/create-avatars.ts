import type { Clock } from '../../domain/clock.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import { liveLink } from '../live-links.js';
import type { SessionSource } from '../send/paired.js';
import { Avatars } from './avatars.js';
import { PictureBook } from './picture-book.js';
import { Pictures, type PicturesOptions } from './pictures.js';
import { AvatarRefresh } from './refresh.js';

export interface AvatarPartsOptions {
  store: Store;
  sessions: SessionSource;
  contacts: Contacts;
  linkTo: PicturesOptions['linkTo'];
  recordOf(clientId: string): SessionRecord | undefined;
  clock: Clock;
  log: Logger;
}

/** What keeps profile pictures, and what shows them. */
export interface AvatarParts {
  pictures: Pictures;
  avatars: Avatars;
  /** The session is being deleted: nothing of it is stored any more once this has resolved. */
  end(clientId: string): Promise<void>;
  /** Forgets a session that was deleted. */
  forget(clientId: string): void;
  /** Breaks off what is under way. */
  stop(): Promise<void>;
}

export function createAvatars(options: AvatarPartsOptions): AvatarParts {
  const { store, sessions } = options;
  const book = new PictureBook(store.pictures);
  const linkOf = (clientId: string) => liveLink(sessions, clientId);
  const pictures = new Pictures({ ...options, book, linkOf });
  const refresh = new AvatarRefresh({ ...options, pictures });
  return {
    pictures,
    avatars: new Avatars({ ...options, pictures, refresh, linkOf }),
    async end(clientId) {
      await Promise.all([refresh.end(clientId), pictures.end(clientId)]);
    },
    forget: (clientId) => book.forget(clientId),
    async stop() {
      await Promise.all([refresh.end(), pictures.stop()]);
    },
  };
}
