import { createHash } from 'node:crypto';
import type { WAMessage } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { uploadRoute } from './support/media-route.js';
import { ALICE, BOB, pnJid, SandboxWorld } from './support/world.js';

const AES_BLOCK_BYTES = 16;
const MAC_BYTES = 10;

describe('Sandbox: media', () => {
  const world = new SandboxWorld();

  afterEach(() => world.close());

  const linked = (number = ALICE) => world.linked(number, uploadRoute(world));

  async function send(device: BaileysDevice, document = Buffer.from('a small document')) {
    const message = await device.socket.sendMessage(pnJid(BOB), {
      document,
      mimetype: 'text/plain',
      fileName: 'a.txt',
    });
    return uploaded(message);
  }

  async function auth(device: BaileysDevice): Promise<string> {
    return (await device.socket.refreshMediaConn(true)).auth;
  }

  function upload(hash: string, body: Buffer, token: string): Promise<Response> {
    const url = `${world.sandbox.url}/mms/image/${hash}?auth=${encodeURIComponent(token)}`;
    return fetch(url, { method: 'POST', body: new Uint8Array(body) });
  }

  const download = (path: string, headers = {}) => fetch(`${world.sandbox.url}${path}`, { headers });

  describe('with a client', () => {
    beforeEach(() => world.open());

    it('returns the same bytes that a client uploaded', async () => {
      const document = Buffer.alloc(3_000_000, 'media');
      const { directPath, url, encHash } = await send(await linked(), document);
      expect(url).to.equal(`https://mmg.whatsapp.net${directPath}`);
      const response = await download(directPath);
      expect(response.status).to.equal(200);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(sha256(bytes)).to.equal(encHash);
      const padding = AES_BLOCK_BYTES - (document.length % AES_BLOCK_BYTES);
      expect(bytes.length).to.equal(document.length + padding + MAC_BYTES);
    });

    it('serves a range of a file', async () => {
      const { directPath } = await send(await linked());
      const whole = Buffer.from(await (await download(directPath)).arrayBuffer());
      const part = await download(directPath, { range: 'bytes=3-9' });
      expect(part.status).to.equal(206);
      expect(part.headers.get('content-range')).to.equal(`bytes 3-9/${whole.length}`);
      expect(Buffer.from(await part.arrayBuffer())).to.deep.equal(whole.subarray(3, 10));
      const beyond = await download(directPath, { range: 'bytes=9999-' });
      expect(beyond.status).to.equal(416);
    });

    it('rejects the uploads of one person while the fault reject-media is set for that person', async () => {
      const [alice, bob] = [await linked(), await linked(BOB)];
      await world.client.fault({ kind: 'reject-media', number: ALICE });
      const error = await send(alice, Buffer.alloc(3_000_000)).catch((reason: unknown) => reason);
      expect(error).to.be.an('error').with.property('message', 'Media upload failed on all hosts');
      await send(bob);
      await world.client.clearFaults();
      await send(alice);
    });

    it('accepts uploads on the second host while the first one is down', async () => {
      const alice = await linked();
      const { hosts } = await alice.socket.refreshMediaConn(true);
      expect(hosts.map(({ hostname }) => hostname)).to.deep.equal([
        'mmg.whatsapp.net',
        'mmg-fna.whatsapp.net',
      ]);
      await world.client.fault({ kind: 'media-host-down', number: ALICE });
      const { directPath } = await send(alice);
      expect((await download(directPath)).status).to.equal(200);
    });

    it('rejects as many uploads as the fault counts', async () => {
      const alice = await linked();
      const token = await auth(alice);
      const body = Buffer.from('bytes');
      await world.client.fault({ kind: 'reject-media', count: 1 });
      const rejected = await upload(sha256(body), body, token);
      expect(rejected.status).to.equal(500);
      expect(await rejected.json()).to.deep.equal({ error: 'upload rejected', code: 'media_rejected' });
      expect((await upload(sha256(body), body, token)).status).to.equal(200);
    });

    it('refuses bytes with another hash than the path, and stores nothing', async () => {
      const token = await auth(await linked());
      const hash = sha256(Buffer.from('these'));
      const response = await upload(hash, Buffer.from('others'), token);
      expect(response.status).to.equal(400);
      expect((await download(`/v/image/${hash}.enc`)).status).to.equal(404);
      expect((await upload('short', Buffer.from('bytes'), token)).status).to.equal(400);
    });

    it('refuses uploads without a valid token', async () => {
      const body = Buffer.from('bytes');
      expect((await upload(sha256(body), body, 'made up')).status).to.equal(401);
    });

    it('answers 404 for unknown files', async () => {
      for (const name of [sha256(Buffer.from('unknown')), 'incoming', '..%2Fsandbox.sqlite', '..'])
        expect((await download(`/v/image/${name}.enc`)).status).to.equal(404);
    });
  });

  it('keeps files through a restart', async () => {
    await world.openKept();
    const { directPath, encHash } = await send(await linked());
    await world.restart();
    const bytes = Buffer.from(await (await download(directPath)).arrayBuffer());
    expect(sha256(bytes)).to.equal(encHash);
  });
});

function uploaded(sent: WAMessage | undefined) {
  const document = sent?.message?.documentMessage;
  const { directPath, url, fileEncSha256 } = document ?? {};
  if (!directPath || !url || !fileEncSha256) throw new Error('not a sent document');
  return { directPath, url, encHash: Buffer.from(fileEncSha256).toString('base64url') };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url');
}
