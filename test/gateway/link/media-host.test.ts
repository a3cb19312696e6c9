import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../../src/domain/clock.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import { encryptFile } from '../../../src/gateway/link/baileys/media/cipher.js';
import type { LinkFactory, MediaSource } from '../../../src/gateway/link/link.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { LinkRig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
const SIZE = 1_000_000;
const LARGE_BYTES = 100 * 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

/** A media host that does what a test wants. */
class Host {
  /** Paths that were asked for. */
  readonly asked: string[] = [];
  answer: RequestListener = (_request, response) => response.end();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.asked.push(`${request.headers.host}${request.url}`);
      this.answer(request, response);
    });
  }

  static async start(): Promise<Host> {
    const host = new Host();
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${address instanceof Object ? address.port : 0}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('a media host', () => {
  let host: Host;
  let folder: TempDir;
  let path: string;

  before(async () => {
    folder = await makeTempDir();
    path = join(folder.path, 'file');
    await writeFile(path, randomBytes(SIZE));
  });

  beforeEach(async () => {
    host = await Host.start();
  });

  afterEach(() => host.stop());
  after(() => folder.remove());

  describe('downloads', () => {
    let factory: LinkFactory;
    let encrypted: Buffer;
    let source: MediaSource;

    beforeEach(async () => {
      factory = createBaileysLinks({
        network: { mediaUrl: host.url },
        log: pino({ level: 'silent' }),
        clock: systemClock,
      });
      const file = await encryptFile('image', path, new AbortController().signal);
      encrypted = await buffer(file.body());
      source = { mediaType: 'image', url: '', directPath: '/v/file.enc', ...file };
      host.answer = (_request, response) => response.end(encrypted);
    });

    const fetched = () => factory.download(source, '').then(buffer);

    it('asks the host that the message names', async () => {
      source = { ...source, url: 'https://media-x.fna.whatsapp.net/v/other.enc?oh=1' };
      expect(sha256(await fetched())).to.equal(Buffer.from(source.fileSha256).toString('hex'));
      source = { ...source, directPath: '' };
      await fetched();
      expect(host.asked).to.deep.equal([
        'media-x.fna.whatsapp.net/v/file.enc',
        'media-x.fna.whatsapp.net/v/other.enc?oh=1',
      ]);
    });

    it('follows redirects', async () => {
      host.answer = ({ url }, response) =>
        url === '/elsewhere'
          ? response.end(encrypted)
          : response.writeHead(302, { location: 'https://mmg.whatsapp.net/elsewhere' }).end();
      expect(await fetched()).to.have.length(SIZE);
    });

    const elsewhere = [
      'http://127.0.0.1:1/elsewhere',
      'https://127.0.0.1:1/elsewhere',
      'https://example.com/elsewhere',
      'http://mmg.whatsapp.net/elsewhere',
      '',
    ];
    for (const location of elsewhere) {
      it(`follows no redirect to ${location || 'nowhere'}`, async () => {
        host.answer = (_request, response) => response.writeHead(302, { location }).end();
        const error = await fetched().catch(reason);
        expect(isGatewayError(error, 'media_unfetchable') && error.message).to.match(
          location ? /redirects to another host/ : /redirects/,
        );
        expect(host.asked).to.have.length(1);
      });
    }

    it('follows three redirects at most', async () => {
      host.answer = (_request, response) =>
        response.writeHead(307, { location: 'https://mmg.whatsapp.net/again' }).end();
      const error = await fetched().catch(reason);
      expect(isGatewayError(error, 'media_unfetchable') && error.message).to.include('more than 3 times');
      expect(host.asked).to.have.length(4);
    });

    for (const status of [403, 404, 410]) {
      it(`fails with \`media_gone\` when the host answers ${status}`, async () => {
        host.answer = (_request, response) => response.writeHead(status).end('no');
        const error = await fetched().catch(reason);
        expect(isGatewayError(error, 'media_gone') && error.message).to.include(String(status));
      });
    }

    it('fails with a retryable error when the host answers 500', async () => {
      host.answer = (_request, response) => response.writeHead(500).end('no');
      expect(isGatewayError(await fetched().catch(reason), 'media_unfetchable')).to.equal(true);
    });

    it('fails with a retryable error when the host cannot be reached', async () => {
      const stopped = await Host.start();
      const { url: mediaUrl } = stopped;
      await stopped.stop();
      const log = pino({ level: 'silent' });
      const links = createBaileysLinks({ network: { mediaUrl }, log, clock: systemClock });
      const error = await links.download(source, '').catch(reason);
      expect(isGatewayError(error, 'media_unfetchable') && error.message).to.include('ECONNREFUSED');
    });

    it('fails the stream when the host closes the connection in the middle', async () => {
      host.answer = (_request, response) => {
        response.writeHead(200, { 'content-length': encrypted.length });
        response.write(encrypted.subarray(0, SIZE / 2), () => response.destroy());
      };
      expect(isGatewayError(await fetched().catch(reason), 'media_unfetchable')).to.equal(true);
    });

    it('fails the stream when the host sends too few bytes', async () => {
      host.answer = (_request, response) => response.end(encrypted.subarray(0, SIZE / 2));
      expect(isGatewayError(await fetched().catch(reason), 'media_unfetchable')).to.equal(true);
    });

    for (const [what, at] of [
      ['at the beginning', 0],
      ['in the middle', SIZE / 2],
      ['in the MAC', -1],
    ] as const) {
      it(`fails the stream when the host sends a wrong byte ${what}`, async () => {
        const wrong = Buffer.from(encrypted);
        wrong.writeUInt8((wrong.at(at) ?? 0) ^ 1, at < 0 ? wrong.length + at : at);
        host.answer = (_request, response) => response.end(wrong);
        expect(isGatewayError(await fetched().catch(reason), 'media_unfetchable')).to.equal(true);
      });
    }

    it('disconnects when the reader stops', async () => {
      const gone = new Promise<void>((resolve) => {
        host.answer = (_request, response) => {
          response.on('close', resolve);
          response.write(encrypted.subarray(0, SIZE / 2));
        };
      });
      const stream = await factory.download(source, '');
      await once(stream, 'data');
      stream.destroy();
      await gone;
    });

    it('disconnects when the signal aborts, before and after the response', async () => {
      const gone = new Promise<void>((resolve) => {
        host.answer = (_request, response) => {
          response.on('close', resolve);
          response.write(encrypted.subarray(0, SIZE / 2));
        };
      });
      const abort = new AbortController();
      const reading = factory.download(source, '', abort.signal).then((stream) => {
        stream.once('data', () => abort.abort());
        return buffer(stream);
      });
      expect(await reading.catch(reason)).to.have.property('name', 'AbortError');
      await gone;
      const early = factory.download(source, '', abort.signal);
      expect(await early.catch(reason)).to.have.property('name', 'AbortError');
    });

    it('waits for a slow reader', async () => {
      const large = Buffer.alloc(64 * 1024 * 1024);
      let written = 0;
      const stalled = new Promise<void>((resolve) => {
        host.answer = (_request, response) => {
          const write = () => {
            while (written < large.length && response.write(large.subarray(0, 65_536))) written += 65_536;
            resolve();
            response.once('drain', write);
          };
          write();
        };
      });
      const stream = await factory.download(source, '');
      await stalled;
      expect(written).to.be.below(large.length);
      stream.destroy();
    });

    for (const [what, place] of [
      ['an address of another host', { url: 'https://example.org/v/file.enc', directPath: '' }],
      ['an address without encryption', { url: 'http://mmg.whatsapp.net/v/file.enc', directPath: '' }],
      ['a path that leads to another host', { url: '', directPath: '//example.org/file.enc' }],
      [
        'a path that starts like a user name',
        { url: '', directPath: 'https://mmg.whatsapp.net@example.org/' },
      ],
      ['an empty address', { url: '', directPath: '' }],
    ] as const) {
      it(`never sends a request to ${what}`, async () => {
        const error = await factory.download({ ...source, ...place }, '').catch(reason);
        expect(isGatewayError(error, 'media_unfetchable') && error.message).to.include('no place');
        expect(host.asked).to.deep.equal([]);
      });
    }

    it('uses the network’s host for a path beside a foreign address', async () => {
      source = { ...source, url: 'https://example.org/x' };
      expect(await fetched()).to.have.length(SIZE);
      expect(host.asked).to.deep.equal(['mmg.whatsapp.net/v/file.enc']);
    });
  });

  describe('uploads', () => {
    let rig: LinkRig;
    let session: Session;

    beforeEach(async () => {
      rig = await LinkRig.start({ mediaUrl: host.url });
      await rig.network.addPhone({ number: ALICE, name: 'Alice' });
      await rig.network.addPhone({ number: BOB, name: 'Bob' });
      session = await rig.connected(ALICE);
    });

    afterEach(() => rig.stop());

    const send = (url = path) =>
      session.send(BOB_PN, '', { content: { document: { url }, mimetype: 'a/b' } }).catch(reason);

    it('retries an upload that the host cuts off, and names the host’s error', async () => {
      host.answer = (request) => request.once('data', () => request.destroy());
      const error = await send();
      expect(isGatewayError(error, 'send_rejected') && error.message).to.match(
        /mmg\.whatsapp\.net: .+; mmg-fna\.whatsapp\.net: ./,
      );
      expect(host.asked).to.have.length(4);
    });

    it('fails when the host returns no address', async () => {
      host.answer = (request, response) => {
        request.resume().on('end', () => response.end('{}'));
      };
      const error = await send();
      expect(isGatewayError(error, 'send_rejected') && error.message).to.include('no address of the file');
    });

    it('ends with the link, and leaves no file on the disk', async () => {
      const tmp = process.env.TMPDIR;
      const staging = await makeTempDir();
      process.env.TMPDIR = staging.path;
      try {
        const gone = new Promise<void>((resolve) => {
          host.answer = (request) => {
            request.socket.once('close', resolve);
            request.once('data', () => void session.close());
          };
        });
        const large = join(folder.path, 'large');
        await writeFile(large, '');
        await truncate(large, LARGE_BYTES);
        expect(isGatewayError(await send(large), 'send_not_connected')).to.equal(true);
        await gone;
        expect(session.sent.size).to.equal(0);
        expect(await readdir(staging.path)).to.deep.equal([]);
      } finally {
        if (tmp === undefined) delete process.env.TMPDIR;
        else process.env.TMPDIR = tmp;
        await staging.remove();
      }
    });

    it('sends a large file without holding it in memory as a whole', async () => {
      let received = 0;
      host.answer = (request, response) => {
        request.on('data', (piece) => {
          received += piece.length;
        });
        request.on('end', () => response.end('{"direct_path":"/v/large.enc"}'));
      };
      const large = join(folder.path, 'large');
      await writeFile(large, '');
      await truncate(large, LARGE_BYTES);
      await send();
      received = 0;
      const before = process.memoryUsage().rss;
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().rss);
      }, 10);
      await send(large);
      clearInterval(watch);
      expect(received).to.be.above(LARGE_BYTES);
      expect(most - before).to.be.below(MAX_GROWTH_BYTES);
    });
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function reason(error: unknown): unknown {
  return error;
}
