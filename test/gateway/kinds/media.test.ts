import { expect } from 'chai';
import type { MediaExtra } from '../../../src/contract/events/extras.js';
import { readContext } from '../../../src/gateway/kinds/context-info.js';
import { kindOfFile, readContent } from '../../../src/gateway/kinds/index.js';
import type { Content, FileWishes, OutgoingFile } from '../../../src/gateway/kinds/kind.js';
import { CONTEXT, DOWNLOAD, FILE_PATH, MENTIONED, overTheWire, PLACE } from './support/wire.js';

const PLAIN: FileWishes = { caption: '', asVoice: false, asSticker: false };
const THUMBNAIL = Buffer.from('a small picture');

/** A file without detected properties. */
function aFile(mimeType: string, more: Partial<OutgoingFile> = {}): OutgoingFile {
  return { path: FILE_PATH, mimeType, fileName: 'file.bin', size: PLACE.fileLength, ...more };
}

function aMedia(more: Partial<MediaExtra> & Pick<MediaExtra, 'mimeType' | 'mediaType'>): MediaExtra {
  return { fileName: '', fileSize: PLACE.fileLength, caption: '', download: DOWNLOAD, ...more };
}

async function sent(file: OutgoingFile, wishes: Partial<FileWishes> = {}, mentionedJids: string[] = []) {
  const kind = kindOfFile(file.mimeType, { ...PLAIN, ...wishes });
  if (!kind) throw new Error('no kind takes it');
  const composed = kind.file.compose(file, { ...PLAIN, ...wishes }, { ...CONTEXT, mentionedJids });
  return { name: kind.name, content: await overTheWire(composed) };
}

describe('a file', () => {
  const takers: [string, Partial<FileWishes>, string][] = [
    ['image/jpeg', {}, 'image'],
    ['IMAGE/PNG', {}, 'image'],
    ['image/webp', {}, 'image'],
    ['image/webp', { asSticker: true }, 'sticker'],
    ['video/mp4', {}, 'video'],
    ['video/mp4', { asVoice: true, asSticker: true }, 'video'],
    ['audio/mpeg', {}, 'audio'],
    ['audio/ogg; codecs=opus', { asVoice: true }, 'audio'],
    ['application/pdf', {}, 'document'],
    ['application/pdf', { asVoice: true, asSticker: true }, 'document'],
    ['text/plain', {}, 'document'],
    ['nonsense', {}, 'document'],
  ];
  for (const [mimeType, wishes, name] of takers) {
    it(`a file is sent as ${name} for type ${mimeType} with the options ${JSON.stringify(wishes)}`, () => {
      expect(kindOfFile(mimeType, { ...PLAIN, ...wishes })?.name).to.equal(name);
    });
  }

  const sends: {
    what: string;
    file: OutgoingFile;
    wishes: Partial<FileWishes>;
    body: string;
    media: MediaExtra;
  }[] = [
    {
      what: 'a picture',
      file: aFile('image/png', { width: 640, height: 480, thumbnail: THUMBNAIL }),
      wishes: { caption: 'Look!' },
      body: 'Look!',
      media: aMedia({ mimeType: 'image/png', mediaType: 'image', caption: 'Look!', width: 640, height: 480 }),
    },
    {
      what: 'a video',
      file: aFile('video/mp4', { width: 640, height: 480, seconds: 12, thumbnail: THUMBNAIL }),
      wishes: { caption: 'Look!' },
      body: 'Look!',
      media: aMedia({
        mimeType: 'video/mp4',
        mediaType: 'video',
        caption: 'Look!',
        seconds: 12,
        width: 640,
        height: 480,
      }),
    },
    {
      what: 'an audio file, without the caption',
      file: aFile('audio/mpeg', { seconds: 180 }),
      wishes: { caption: 'Listen!' },
      body: '',
      media: aMedia({ mimeType: 'audio/mpeg', mediaType: 'audio', seconds: 180, voice: false }),
    },
    {
      what: 'a voice note',
      file: aFile('audio/ogg; codecs=opus', { seconds: 3, waveform: new Uint8Array(64).fill(9) }),
      wishes: { asVoice: true },
      body: '',
      media: aMedia({ mimeType: 'audio/ogg; codecs=opus', mediaType: 'audio', seconds: 3, voice: true }),
    },
    {
      what: 'a document',
      file: aFile('application/pdf', { fileName: 'offer.pdf', pageCount: 4 }),
      wishes: { caption: 'Our offer' },
      body: 'Our offer',
      media: aMedia({
        mimeType: 'application/pdf',
        mediaType: 'document',
        fileName: 'offer.pdf',
        caption: 'Our offer',
      }),
    },
    {
      what: 'a sticker, without the caption',
      file: aFile('image/webp', { width: 512, height: 512, animated: true }),
      wishes: { asSticker: true, caption: 'Hi' },
      body: '',
      media: aMedia({
        mimeType: 'image/webp',
        mediaType: 'sticker',
        width: 512,
        height: 512,
        animated: true,
      }),
    },
  ];
  for (const { what, file, wishes, body, media } of sends) {
    it(`a file can be read as it was sent: ${what}`, async () => {
      const { name, content } = await sent(file, wishes);
      expect(readContent(content).kind?.name).to.equal(name);
      expect(readContent(content).reading).to.deep.equal({ type: name, body, extra: { media } });
    });

    it(`mentions people: ${what}`, async () => {
      const { content } = await sent(file, wishes, [MENTIONED]);
      const { mentions } = readContext(content, (quoted) => readContent(quoted).reading);
      expect(mentions).to.deep.equal(['90000000000003']);
    });
  }

  it('a file has the preview that phones show before the download', async () => {
    const thumbnail = { thumbnail: THUMBNAIL };
    const { content: picture } = await sent(aFile('image/png', thumbnail));
    expect(picture.imageMessage?.jpegThumbnail).to.deep.equal(THUMBNAIL);
    const { content: film } = await sent(aFile('video/mp4', thumbnail));
    expect(film.videoMessage?.jpegThumbnail).to.deep.equal(THUMBNAIL);
    const { content: pages } = await sent(aFile('application/pdf', { ...thumbnail, pageCount: 4 }));
    expect(pages.documentMessage).to.include({ pageCount: 4, title: 'file.bin' });
    expect(pages.documentMessage?.jpegThumbnail).to.deep.equal(THUMBNAIL);
    const voice = aFile('audio/ogg; codecs=opus', { waveform: new Uint8Array(64).fill(9) });
    const { content: note } = await sent(voice, { asVoice: true });
    expect([...(note.audioMessage?.waveform ?? [])]).to.deep.equal(Array(64).fill(9));
  });

  it('a file is composed without undetected properties, which nothing else computes', async () => {
    const wishes = { asVoice: true, asSticker: true };
    for (const mimeType of ['image/png', 'image/webp', 'video/mp4', 'audio/ogg', 'application/pdf']) {
      const { name, content } = await sent(aFile(mimeType), wishes);
      const message: object = Reflect.get(content, `${name}Message`);
      expect(message).to.not.have.any.keys('jpegThumbnail', 'seconds', 'waveform', 'width', 'pageCount');
    }
  });
});

describe('the reader of files', () => {
  const mimetype = 'image/jpeg';
  const readings: [string, Content, Partial<MediaExtra>][] = [
    ['a picture', { imageMessage: { ...PLACE, mimetype } }, { mediaType: 'image' }],
    [
      'a round video that was recorded in the chat',
      { ptvMessage: { ...PLACE, seconds: 5 } },
      { mediaType: 'video', seconds: 5 },
    ],
    [
      'a video that loops',
      { videoMessage: { ...PLACE, gifPlayback: true } },
      { mediaType: 'video', animated: true },
    ],
    [
      'a captioned document in its wrapper',
      {
        documentWithCaptionMessage: {
          message: { documentMessage: { ...PLACE, fileName: 'a.pdf', caption: 'read this' } },
        },
      },
      { mediaType: 'document', fileName: 'a.pdf', caption: 'read this' },
    ],
    [
      'a document with a title only',
      { documentMessage: { ...PLACE, title: 'a.pdf' } },
      { mediaType: 'document', fileName: 'a.pdf' },
    ],
    [
      'an animated sticker in its wrapper',
      { lottieStickerMessage: { message: { stickerMessage: { ...PLACE, isLottie: true } } } },
      { mediaType: 'sticker', animated: true, mimeType: 'image/webp' },
    ],
    [
      'a picture that may be looked at once, by its wrapper',
      { viewOnceMessageV2: { message: { imageMessage: PLACE } } },
      { mediaType: 'image', viewOnce: true },
    ],
    [
      'a voice note that may be heard once',
      { viewOnceMessageV2Extension: { message: { audioMessage: { ...PLACE, ptt: true } } } },
      { mediaType: 'audio', voice: true, viewOnce: true },
    ],
    [
      'a disappearing picture that may be looked at once, by its own mark',
      { ephemeralMessage: { message: { imageMessage: { ...PLACE, viewOnce: true } } } },
      { mediaType: 'image', viewOnce: true },
    ],
    [
      'a picture of an album',
      { associatedChildMessage: { message: { imageMessage: PLACE } } },
      { mediaType: 'image' },
    ],
  ];
  for (const [what, content, expected] of readings) {
    it(`shows ${what}`, () => {
      const { reading } = readContent(content);
      expect(reading.type).to.equal(expected.mediaType);
      expect(reading.extra?.media).to.deep.include({ download: DOWNLOAD, fileSize: 5e9, ...expected });
      expect(reading.body).to.equal(expected.caption ?? '');
    });
  }

  it('the event of a file has no `viewOnce` where it may be viewed often', () => {
    const { reading } = readContent({ ephemeralMessage: { message: { imageMessage: PLACE } } });
    expect(reading.extra?.media).to.not.have.property('viewOnce');
  });

  it('fills in missing fields', () => {
    const download = {
      url: '',
      directPath: '',
      mediaKey: '',
      fileSha256: '',
      fileEncSha256: '',
      mediaKeyTimestamp: 0,
    };
    const media = {
      mimeType: 'application/octet-stream',
      mediaType: 'document',
      fileName: '',
      fileSize: 0,
      caption: '',
      download,
    };
    expect(readContent({ documentMessage: {} }).reading.extra).to.deep.equal({ media });
  });
});
