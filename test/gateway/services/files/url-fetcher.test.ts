import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { buildConnector } from 'undici';
import { LIMITS } from '../../../../src/domain/limits.js';
import { guardedConnector } from '../../../../src/gateway/delivery/guarded-agent.js';
import { Spool } from '../../../../src/gateway/services/files/spool.js';
import {
  type Fetched,
  type FetchedFile,
  UrlFetcher,
} from '../../../../src/gateway/services/files/url-fetcher.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const MB = 1024 * 1024;
const BYTES = randomBytes(100_000);

describe('UrlFetcher', () => {
  let folder: TempDir;
  let spool: Spool;
  let clock: ManualClock;
  let host: TestReceiver;
  let fetcher: UrlFetcher;

  beforeEach(async () => {
    folder = await makeTempDir();
    spool = new Spool(folder.path);
    await spool.start();
    clock = new ManualClock();
    host = await startReceiver();
    fetcher = new UrlFetcher({ allowPrivate: true, spool, clock });
  });

  afterEach(async () => {
    await fetcher.stop();
    await host.stop();
    await folder.remove();
  });

  /** Sets the host's response to every request. */
  const answer = (respond: (response: ServerResponse, path: string) => void) =>
    host.respond((response, { path }) => respond(response, path));

  /** The files on the disk. */
  async function leftBehind(): Promise<string[]> {
    const [run = ''] = await readdir(folder.path);
    return readdir(join(folder.path, run));
  }

  /** The failure of a fetch, which must leave nothing behind. */
  async function failureOf(url: string, by = fetcher): Promise<{ code: string; message: string }> {
    const error = await by.fetch('acme', url).then(
      () => undefined,
      (failure) => failure,
    );
    expect(error, 'it should have failed').to.be.an('error');
    expect(await leftBehind()).to.deep.equal([]);
    expect(clock.pending()).to.deep.equal([]);
    return { code: error.code, message: error.message };
  }

  it('writes a file to disk with its hash, type and name', async () => {
    answer((response) =>
      response
        .writeHead(200, {
          'content-type': 'image/png',
          'content-length': BYTES.length,
          'content-disposition': 'attachment; filename="menu.png"',
        })
        .end(BYTES),
    );
    const file = arrived(await fetcher.fetch('acme', `${host.url}/a/b?c=d`));
    expect(file).to.include({ size: BYTES.length, contentType: 'image/png', fileName: 'menu.png' });
    expect(file.sha256).to.equal(createHash('sha256').update(BYTES).digest('hex'));
    expect(await readFile(file.path)).to.deep.equal(BYTES);
    expect(host.calls[0]).to.include({ method: 'GET', path: '/a/b?c=d' });
    expect(host.calls[0]?.headers).to.include({ 'user-agent': 'Switchboard/1' });
    await file.discard();
    expect(await leftBehind()).to.deep.equal([]);
  });

  it('fetches a file of unknown length', async () => {
    answer((response) => {
      response.write(BYTES.subarray(0, 40_000));
      response.end(BYTES.subarray(40_000));
    });
    const file = arrived(await fetcher.fetch('acme', `${host.url}/notes.txt`));
    expect(file).to.include({ size: BYTES.length, contentType: '', fileName: 'notes.txt' });
  });

  it('requests uncompressed content, and decompresses a compressed answer', async () => {
    answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BYTES)));
    const file = arrived(await fetcher.fetch('acme', host.url));
    expect(await readFile(file.path)).to.deep.equal(BYTES);
    expect(host.calls[0]?.headers).to.include({ 'accept-encoding': 'identity' });
  });

  it('keeps content with an unknown encoding unchanged', async () => {
    answer((response) => response.writeHead(200, { 'content-encoding': 'constructor' }).end(BYTES));
    const file = arrived(await fetcher.fetch('acme', host.url));
    expect(await readFile(file.path)).to.deep.equal(BYTES);
  });

  it('refuses content that cannot be decompressed', async () => {
    answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(BYTES));
    expect((await failureOf(host.url)).code).to.equal('media_unfetchable');
  });

  it('refuses a decompression bomb', async () => {
    const zeros = gzipSync(Buffer.alloc(LIMITS.mediaFetchBytes + 1));
    answer((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(zeros));
    expect((await failureOf(host.url)).message).to.match(/more than 100 MB/);
  });

  for (const status of [204, 206, 304, 400, 403, 404, 500, 503]) {
    it(`fails on an answer of ${status}`, async () => {
      answer((response) => response.writeHead(status).end());
      const { code, message } = await failureOf(`${host.url}/gone?key=secret`);
      expect(code).to.equal('media_unfetchable');
      expect(message).to.equal(
        `downloadUrl could not be fetched: ${host.url}/gone: the host answered ${status}`,
      );
    });
  }

  it('fails on an empty file', async () => {
    expect((await failureOf(host.url)).message).to.match(/it is empty$/);
  });

  it('fails when the connection ends too early', async () => {
    answer((response) => {
      response.writeHead(200, { 'content-length': BYTES.length + 1 });
      response.write(BYTES, () => response.destroy());
    });
    expect((await failureOf(host.url)).code).to.equal('media_unfetchable');
  });

  it('fails when nothing listens, and when the host does not exist', async () => {
    await host.stop();
    expect((await failureOf(host.url)).message).to.match(/ECONNREFUSED/);
    expect((await failureOf('http://files.invalid/a')).code).to.equal('media_unfetchable');
  });

  it('names the code of a failure without a message, as of a name with several addresses', async () => {
    const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
    const connect: buildConnector.connector = (_options, callback) => callback(refused, null);
    const cut = new UrlFetcher({ allowPrivate: true, spool, clock, connect });
    expect((await failureOf(host.url, cut)).message).to.match(/: ECONNREFUSED$/);
    await cut.stop();
  });

  describe('the beginning of a file', () => {
    const beginning = (maxBytes: number) =>
      fetcher.beginning(host.url, { maxBytes, signal: new AbortController().signal });

    it('is complete when the file is no longer than requested', async () => {
      answer((response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write(BYTES.subarray(0, 40_000), () => response.end(BYTES.subarray(40_000)));
      });
      const { bytes, isWhole, contentType } = await beginning(BYTES.length);
      expect([bytes.equals(BYTES), isWhole, contentType]).to.deep.equal([true, true, 'text/html']);
    });

    it('is cut at the requested length, after decompression', async () => {
      answer((response) => response.writeHead(200, { 'content-encoding': ' GZip' }).end(gzipSync(BYTES)));
      const { bytes, isWhole } = await beginning(BYTES.length - 1);
      expect([bytes.equals(BYTES.subarray(0, -1)), isWhole]).to.deep.equal([true, false]);
    });

    it('is refused with the status of the host', async () => {
      answer((response) => response.writeHead(404).end());
      const error = await beginning(10).catch((failure: unknown) => failure);
      expect(error)
        .to.have.property('message')
        .that.matches(/the host answered 404$/);
    });
  });

  it('fails when no answer comes in time', async () => {
    answer(() => undefined);
    const failure = failureOf(host.url);
    await host.received(1);
    clock.advance(LIMITS.mediaFetchMs);
    expect((await failure).message).to.match(/it took longer than 60 s$/);
  });

  it('fails when the file comes too slowly, however steadily', async () => {
    let drip: ServerResponse | undefined;
    answer((response) => {
      drip = response;
      response.writeHead(200, { 'content-length': 100 }).write('a');
    });
    const failure = failureOf(host.url);
    await host.received(1);
    for (let seconds = 10; seconds < LIMITS.mediaFetchMs / 1_000; seconds += 10) {
      clock.advance(10_000);
      drip?.write('a');
    }
    const gone = drip && once(drip, 'close');
    clock.advance(10_000);
    expect((await failure).message).to.match(/it took longer than 60 s$/);
    await gone;
  });

  it('aborts when it is stopped', async () => {
    answer(() => undefined);
    const failure = failureOf(host.url);
    await host.received(1);
    await fetcher.stop();
    expect((await failure).code).to.equal('media_unfetchable');
  });

  describe('UrlFetcher, with a large file', () => {
    it('reports a file over 60 MB as too large to send, without reading it', async () => {
      const closed = new Promise<void>((resolve) =>
        answer((response) => {
          response.once('close', resolve);
          response.writeHead(200, { 'content-length': LIMITS.mediaFallbackBytes + 1 }).write(BYTES);
        }),
      );
      expect(await fetcher.fetch('acme', host.url)).to.equal('too-large');
      await closed;
      expect(await leftBehind()).to.deep.equal([]);
    });

    it('accepts a file of exactly 60 MB', async () => {
      answer((response) => sendZeros(response, LIMITS.mediaFallbackBytes));
      const file = arrived(await fetcher.fetch('acme', host.url));
      expect(file.size).to.equal(60 * MB);
    });

    it('counts the bytes of an answer without Content-Length', async () => {
      answer((response) => sendZeros(response, LIMITS.mediaFallbackBytes + 1));
      expect(await fetcher.fetch('acme', host.url)).to.equal('too-large');
      expect(await leftBehind()).to.deep.equal([]);
    });

    it('refuses a file over 100 MB, announced or not', async () => {
      answer((response) => response.writeHead(200, { 'content-length': 100 * MB + 1 }).write('a'));
      expect((await failureOf(host.url)).message).to.match(/it has more than 100 MB$/);
      answer((response) => sendZeros(response, 100 * MB + 1));
      expect((await failureOf(host.url)).message).to.match(/it has more than 100 MB$/);
    });
  });

  describe('a redirect', () => {
    it('a redirect is followed up to five times, relative or not', async () => {
      answer((response, path) => {
        const hop = Number(path.slice(1));
        const location = hop % 2 ? `${host.url}/${hop + 1}` : `/${hop + 1}`;
        if (hop < 5) response.writeHead(302, { location }).end('elsewhere');
        else response.end(BYTES);
      });
      expect(arrived(await fetcher.fetch('acme', `${host.url}/0`)).size).to.equal(BYTES.length);
      expect(host.calls).to.have.lengthOf(6);
    });

    it('fails when it loops', async () => {
      answer((response) => response.writeHead(301, { location: '/' }).end());
      expect((await failureOf(host.url)).message).to.match(/it redirects more than 5 times$/);
      expect(host.calls).to.have.lengthOf(6);
    });

    it('fails when its target is not a URL', async () => {
      answer((response) => response.writeHead(302, { location: 'http://' }).end());
      expect((await failureOf(host.url)).message).to.match(/the host answered 302$/);
      answer((response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end());
      expect((await failureOf(host.url)).message).to.match(/must be an https address/);
    });
  });

  describe('UrlFetcher without --allow-private-urls', () => {
    let guarded: UrlFetcher;

    beforeEach(() => {
      guarded = new UrlFetcher({ allowPrivate: false, spool, clock, connect: withPublicHost(host.port) });
    });
    afterEach(() => guarded.stop());

    it('accepts https addresses of public hosts', async () => {
      answer((response) => response.end(BYTES));
      expect(arrived(await guarded.fetch('acme', 'https://files.example/a.bin')).size).to.equal(BYTES.length);
    });

    it('refuses http, naming the rule', async () => {
      for (const url of ['http://files.example/', 'ftp://files.example/', 'data:,a', 'files', '']) {
        expect((await failureOf(url, guarded)).code, url).to.equal('invalid_request');
      }
      const { message } = await failureOf('http://files.example/', guarded);
      expect(message).to.equal(
        'downloadUrl must be an https address; http is taken with --allow-private-urls only',
      );
      expect(host.calls).to.deep.equal([]);
    });

    it('refuses a user name and password in the address', async () => {
      const { code, message } = await failureOf('https://me:secret@files.example/', guarded);
      expect([code, message]).to.deep.equal([
        'invalid_request',
        'downloadUrl must not hold a user name or password',
      ]);
    });

    for (const inside of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254']) {
      it(`refuses ${inside} before any connection`, async () => {
        const { code, message } = await failureOf(`https://${inside}:${host.port}/`, guarded);
        expect(code).to.equal('invalid_request');
        expect(message).to.match(/^downloadUrl is refused: .* private or reserved address/);
        expect(host.calls).to.deep.equal([]);
      });

      it(`refuses to be redirected to ${inside}`, async () => {
        const location = `https://${inside}:${host.port}/inside`;
        answer((response) => response.writeHead(302, { location }).end());
        const { code, message } = await failureOf('https://files.example/', guarded);
        expect(code).to.equal('media_unfetchable');
        expect(message).to.match(/private or reserved address/);
        expect(host.calls).to.have.lengthOf(1);
      });
    }

    it('refuses to be redirected from https to http', async () => {
      answer((response) => response.writeHead(302, { location: 'http://files.example/a' }).end());
      const { code, message } = await failureOf('https://files.example/', guarded);
      expect(code).to.equal('media_unfetchable');
      expect(message).to.match(/it redirects to http:\/\/files.example\/a, which must be an https address/);
      expect(host.calls).to.have.lengthOf(1);
    });
  });
});

function arrived(fetched: Fetched): FetchedFile {
  if (fetched === 'too-large') throw new Error('it was too large');
  return fetched;
}

/** The guard, and one public host that is this machine's in truth. */
function withPublicHost(port: number): buildConnector.connector {
  const guarded = guardedConnector({ allowPrivate: false, timeoutMs: 1_000 });
  return (options, callback) => {
    if (options.hostname !== 'files.example') return guarded(options, callback);
    const socket = connectTo(port, '127.0.0.1', () => callback(null, socket));
  };
}

/** Streams so many bytes without announcing how many; the reader may leave on the way. */
function sendZeros(response: ServerResponse, bytes: number): void {
  function* zeros() {
    for (let rest = bytes; rest > 0; rest -= MB) yield Buffer.alloc(Math.min(rest, MB));
  }
  pipeline(Readable.from(zeros()), response).catch(() => undefined);
}
