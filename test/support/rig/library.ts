import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { proto } from '@whiskeysockets/baileys';
import { readContent } from '../../../src/gateway/kinds/index.js';
import type { MediaMessage, MediaSource } from '../../../src/gateway/link/link.js';
import { FileKeeper } from '../../../src/gateway/services/files/file-keeper.js';
import { FileLinks } from '../../../src/gateway/services/files/file-links.js';
import { MediaLibrary } from '../../../src/gateway/services/files/library.js';
import { Spool } from '../../../src/gateway/services/files/spool.js';
import { HostedInbox } from '../../../src/gateway/services/history/inbox.js';
import { Recorder } from '../../../src/gateway/services/history/recorder.js';
import { type Recording, roomOf, rowOf } from '../../../src/gateway/services/history/recording.js';
import { StoredRows } from '../../../src/gateway/services/history/stored-rows.js';
import { Contacts } from '../../../src/gateway/services/identities/contacts.js';
import type { Store } from '../../../src/gateway/store/store.js';
import type { ManualClock } from '../manual-clock.js';
import { ME, playedLink } from './link.js';
import type { Rig } from './rig.js';
import { NO_SETTINGS } from './room-settings.js';

export const CLIENT = 'acme';
export const ROOM = 'acme-90000000000001-90000000000002';

/** A download that was asked for. */
export interface Download {
  media: MediaSource;
  signal: AbortSignal | undefined;
}

/** History and files over one store. */
export interface Hosting {
  keeper: FileKeeper;
  recorder: Recorder;
  inbox: HostedInbox;
  library: MediaLibrary;
  fileLinks: FileLinks;
}

/** History and files of one session over a real store; network and phone are played. */
export interface Library {
  store: Store;
  clock: ManualClock;
  hosting: Hosting;
  /** The files that this node is sending. */
  spool: Spool;
  /** Creates new services over the same store, like a restart or another node. */
  another(store?: Partial<Store>): Hosting;
  downloads: Download[];
  /** Resolves when so many downloads have been asked for. */
  begun(count: number): Promise<void>;
  /** Answers downloads; the bytes of each file are its path unless said otherwise. */
  download(asked: Download): Promise<Readable>;
  /** Messages of which the phone was asked for the file. */
  asked: MediaMessage[];
  /** Answers them. */
  renew(message: MediaMessage): Promise<{ directPath: string; url: string }>;
  /** Outcomes of files. */
  outcomes: string[];
  /** Connects the session, or takes the connection away. */
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  /** Records a message with a file. @returns the file's id */
  record(messageId: string, wishes?: Wishes): Promise<string>;
  /** Records a message of the past with a file. @returns the file's id */
  recordPast(messageId: string, wishes?: Wishes): Promise<string>;
  close(): Promise<void>;
}

interface Wishes {
  /** Milliseconds ago. */
  age?: number;
  by?: Hosting;
  image?: proto.Message.IImageMessage;
}

export async function libraryOver(base: Rig): Promise<Library> {
  const { store, clock, log, retry } = base;
  const requests = new EventEmitter();
  const link = playedLink({
    renewMedia(message) {
      rig.asked.push(message);
      return rig.renew(message);
    },
  });
  const { sessions, links, connect, disconnect } = base.sessions(
    link,
    {},
    {
      encode: (content) => proto.Message.encode(content).finish(),
      decode: (encoded) => proto.Message.decode(encoded),
      download(media, _proxy, signal) {
        const asked = { media, signal };
        rig.downloads.push(asked);
        requests.emit('download');
        return rig.download(asked);
      },
    },
  );
  const all: Hosting[] = [];
  const spool = new Spool(join(base.folder, 'spool'));
  await spool.start();
  const another = (changed: Partial<Store> = {}) => {
    const own = { ...store, ...changed };
    const rooms = base.roomsOf(sessions.find(CLIENT).record);
    const rows = new StoredRows({ store: own, links, contacts: new Contacts(own.contacts, clock), retry });
    const keeper = new FileKeeper({
      ...{ store: own, links, sessions, retry, rows, local: spool, clock, log },
      observer: {
        fileStored: () => rig.outcomes.push('stored'),
        fileLost: () => rig.outcomes.push('lost'),
      },
    });
    const fileLinks = new FileLinks({ publicUrl: 'https://files.example' });
    const hosting: Hosting = {
      keeper,
      recorder: new Recorder({ store: own, links, rows, rooms, files: keeper, roomSettings: NO_SETTINGS }),
      inbox: new HostedInbox({ store: own, rooms, fileLinks }),
      library: new MediaLibrary({ store: own, keeper, links: fileLinks }),
      fileLinks,
    };
    all.push(hosting);
    return hosting;
  };

  await sessions.start(CLIENT, {});
  await sessions.setOrgId(CLIENT, 'workspace1');
  const rig: Library = {
    store,
    clock,
    hosting: another(),
    spool,
    another,
    downloads: [],
    async begun(count) {
      while (rig.downloads.length < count) await once(requests, 'download');
    },
    download: async ({ media }) => Readable.from([Buffer.from(media.directPath)]),
    asked: [],
    renew: () => Promise.reject(new Error('not played')),
    outcomes: [],
    connect,
    disconnect,
    record(messageId, { age = 0, by = rig.hosting, image = {} } = {}) {
      return by.recorder.record(recording(messageId, clock.now() - age, image));
    },
    async recordPast(messageId, { age = 0, by = rig.hosting, image = {} } = {}) {
      const told = recording(messageId, clock.now() - age, image);
      const row = rowOf(told, 'image', links.encode(told.message.content));
      await by.recorder.add(CLIENT, roomOf(told.event), row);
      return row.fileId;
    },
    close: () => base.close(),
  };
  base.onClose(async () => {
    for (const { keeper } of all) {
      keeper.stop();
      await keeper.idle();
    }
  });
  await rig.connect();
  return rig;
}

/** A picture of Bob's. */
function recording(messageId: string, timestamp: number, image: proto.Message.IImageMessage): Recording {
  const content: proto.IMessage = {
    imageMessage: {
      directPath: `/v/${messageId}`,
      mediaKey: Buffer.from('key'),
      mimetype: 'image/png',
      caption: `caption of ${messageId}`,
      ...image,
    },
  };
  const { type, body, extra } = readContent(content).reading;
  const bob = { lid: '90000000000002', pn: '15550000002' };
  return {
    event: {
      event: 'message.received',
      type,
      clientId: CLIENT,
      orgId: 'workspace1',
      timestamp: new Date(timestamp).toISOString(),
      chatRoomId: ROOM,
      myLid: ME.lid,
      clientLid: bob.lid,
      remoteJid: `${bob.lid}@lid`,
      remoteName: 'Bob',
      remotePhone: `+${bob.pn}`,
      remoteUsername: '',
      pushName: 'Bob',
      avatarUrl: '',
      fromMe: false,
      isGroup: false,
      messageId,
      body,
      mentions: [],
      isForwarded: false,
      ...extra,
    },
    message: {
      messageId,
      chat: `${bob.lid}@lid`,
      fromMe: false,
      pushName: 'Bob',
      timestamp,
      content,
      journalIds: [],
      offline: false,
    },
    author: { fromMe: false, ...bob },
    storedType: 'image',
  };
}
