import type { MediaExtra } from '../../../contract/events/extras.js';
import type { Clock } from '../../../domain/clock.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import { FileKeeper, type FileObserver } from '../files/file-keeper.js';
import { MediaLibrary } from '../files/library.js';
import type { Media } from '../files/media.js';
import type { PersonRooms } from '../identities/person-rooms.js';
import { STORED_PICTURE } from '../identities/pictures.js';
import type { StoreRetry } from '../store-retry.js';
import { HostedInbox } from './inbox.js';
import { Recorder } from './recorder.js';

/** History and files of sessions with an `orgId`: the parts that write them and the parts that show them. */
export type Hosting = ReturnType<typeof createHosting>;

export function createHosting(options: {
  store: Store;
  links: LinkFactory;
  sessions: SessionSource;
  rooms: PersonRooms;
  retry: StoreRetry;
  /** The files that this node is sending. */
  local: Pick<Media, 'hold'>;
  observer: FileObserver;
  /** Public address of this service, without a slash at its end; known once it listens. */
  publicUrl(): string;
  /** Awaited after the first write of a message, when its room exists. */
  recorded(clientId: string, chatRoomId: string): Promise<void>;
  clock: Clock;
  log: Logger;
}) {
  const { store, links, sessions, rooms, retry, local, observer, publicUrl, recorded, clock, log } = options;
  const recorder = new Recorder({
    store,
    rooms,
    links,
    expectFile: (file, sentAt, sha256) => keeper.expect(file, sentAt, sha256),
    recorded,
  });
  const keeper = new FileKeeper({
    ...{ store, links, sessions, retry, local, observer, clock, log },
    removeLink: (file) =>
      recorder.amend(file, (row) => (row.fileId === file.id ? { ...row, fileId: '' } : undefined)),
  });
  const library = new MediaLibrary({ store, keeper, publicUrl });
  /** The permanent link to a stored file. */
  const linkTo = (fileId: string, file: Pick<MediaExtra, 'fileName' | 'mimeType'>) =>
    library.linkTo(fileId, file);
  const inbox = new HostedInbox({
    store,
    rooms,
    linkOf: ({ fileId, media }) => (fileId && media ? linkTo(fileId, media) : ''),
    pictureLink: (fileId) => linkTo(fileId, STORED_PICTURE),
  });
  return { recorder, keeper, inbox, library, linkTo };
}
