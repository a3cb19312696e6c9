import type { MediaExtra } from '../../events/extras.js';
import type { LinkFactory } from '../../link/link.js';
import type { Store } from '../../store/store.js';
import { STORED_PICTURE } from '../avatars/stored-picture.js';
import { HostedInbox, type HostedInboxOptions } from '../inbox/inbox.js';
import { Recorder, type RecorderOptions } from '../inbox/recorder.js';
import { FileKeeper, type FileKeeperOptions } from './file-keeper.js';
import { MediaLibrary, type MediaLibraryOptions } from './library.js';

export interface HostingOptions extends Omit<FileKeeperOptions, 'recorder'> {
  store: Store;
  links: LinkFactory;
  publicUrl: MediaLibraryOptions['publicUrl'];
  rooms: RecorderOptions['rooms'] & HostedInboxOptions['rooms'];
}

/** What keeps history and files of sessions with an `orgId`, and what shows them. */
export interface Hosting {
  recorder: Recorder;
  keeper: FileKeeper;
  inbox: HostedInbox;
  library: MediaLibrary;
  /** The permanent link to a stored file. */
  linkTo(fileId: string, media: Pick<MediaExtra, 'fileName' | 'mimeType'>): string;
}

export function createHosting(options: HostingOptions): Hosting {
  const { store, links, rooms } = options;
  const recorder = new Recorder({
    history: store.history,
    rooms,
    links,
    expectFile: (file, sentAt) => keeper.expect(file, sentAt),
  });
  const keeper = new FileKeeper({ ...options, recorder });
  const library = new MediaLibrary({ ...options, keeper });
  const linkTo: Hosting['linkTo'] = (fileId, media) => library.linkTo(fileId, media);
  const inbox = new HostedInbox({
    store,
    rooms,
    linkOf: ({ fileId, media }) => (fileId && media ? linkTo(fileId, media) : ''),
    pictureLink: (fileId) => linkTo(fileId, STORED_PICTURE),
  });
  return { recorder, keeper, inbox, library, linkTo };
}
