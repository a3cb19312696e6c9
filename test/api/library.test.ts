import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { EventEnvelope } from '../../src/events/envelope.js';
import type { MediaContent } from '../../src/sandbox/client.js';
import { Conversations, type Side } from '../support/conversations.js';
import { eventOf } from '../support/events.js';
import { BOB } from '../support/pairing.js';

interface FileCase {
  file: Omit<MediaContent, 'base64'>;
  /** What a browser is told. */
  type: string;
  disposition: RegExp;
}

const FILES: FileCase[] = [
  {
    file: { kind: 'image', mimeType: 'image/jpeg', caption: 'look' },
    type: 'image/jpeg',
    disposition: /^inline; filename="file\.jpg"; filename\*=UTF-8''file\.jpg$/,
  },
  {
    file: { kind: 'video', mimeType: 'video/mp4', seconds: 12 },
    type: 'video/mp4',
    disposition: /^inline; filename="file\.mp4"/,
  },
  {
    file: { kind: 'audio', mimeType: 'audio/ogg; codecs=opus', voice: true },
    type: 'audio/ogg',
    disposition: /^inline; filename="file\.ogg"/,
  },
  {
    file: { kind: 'document', mimeType: 'application/pdf', fileName: 'Café "menu".pdf' },
    type: 'application/pdf',
    disposition: /^attachment; filename="Caf_ _menu_\.pdf"; filename\*=UTF-8''Caf%C3%A9%20%22menu%22\.pdf$/,
  },
  {
    file: { kind: 'sticker', mimeType: 'image/webp' },
    type: 'image/webp',
    disposition: /^inline; filename="file\.webp"/,
  },
];

describe('files of the hosted inbox', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start();
  });
  after(() => chats.stop());

  /** The link in an event; fails the test when there is none. */
  function linkOf({ media }: EventEnvelope): string {
    expect(media?.downloadUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+\/media\/[0-9a-f-]{36}\//);
    return media?.downloadUrl ?? '';
  }

  async function bothWays(side: Side, media: MediaContent): Promise<EventEnvelope[]> {
    return [await chats.fromBob(side, { media }), await chats.fromOwner(side, { media })];
  }

  for (const { file, type, disposition } of FILES) {
    it(`are given out as they were: ${file.kind}, ${type}`, async () => {
      const bytes = randomBytes(5_000);
      for (const event of await bothWays(chats.hosted, { ...file, base64: bytes.toString('base64') })) {
        const answer = await fetch(linkOf(event));
        expect(answer.status).to.equal(200);
        expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).to.equal(true);
        expect(answer.headers.get('content-type')).to.equal(type);
        expect(answer.headers.get('content-length')).to.equal('5000');
        expect(answer.headers.get('content-disposition')).to.match(disposition);
        expect(answer.headers.get('etag')).to.equal(`"${sha256(bytes)}"`);
        const row = await chats.row(chats.hosted, event.messageId);
        expect(row).to.include({ downloadUrl: linkOf(event) });
        expect(row?.extras.media).to.deep.equal(event.media);
      }
    });
  }

  it('are stored nowhere for a session without a workspace', async () => {
    const [event] = await bothWays(chats.plain, { kind: 'image', mimeType: 'image/jpeg', size: 100 });
    expect(event?.media).to.not.have.property('downloadUrl');
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
