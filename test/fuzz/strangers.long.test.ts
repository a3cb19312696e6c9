import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import sharp from 'sharp';
import { systemClock } from '../../src/domain/clock.js';
import { GatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import { PollLookups } from '../../src/gateway/delivery/poll-lookup.js';
import { readTarget, WebhookClient } from '../../src/gateway/delivery/webhook.js';
import { download } from '../../src/gateway/link/baileys/media/download.js';
import { mediaRoute } from '../../src/gateway/link/baileys/media/route.js';
import { ProxyFailure, Tunnel } from '../../src/gateway/link/baileys/tunnel.js';
import { createLog } from '../../src/gateway/log.js';
import { Decoders } from '../../src/gateway/services/files/inspect/decoders.js';
import { Media } from '../../src/gateway/services/files/media.js';
import { Spool } from '../../src/gateway/services/files/spool.js';
import { UrlFetcher } from '../../src/gateway/services/files/url-fetcher.js';
import { writeBackup } from '../../src/gateway/store/backup/backup.js';
import { checkBackup } from '../../src/gateway/store/backup/restore.js';
import { openStore } from '../../src/gateway/store/open.js';
import { openSqliteBackup } from '../../src/gateway/store/sqlite/backup.js';
import { readJsonLines } from '../../src/terminal/cli/adopt/json-lines.js';
import { readSealed, writeSealed } from '../../src/terminal/cli/adopt/sealed-file.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { session } from '../contracts/store/harness.js';
import { film, recording, voiceNote } from '../support/made-files.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { HostileServer, httpAnswer, type MakeBytes } from './support/hostile-server.js';
import { mutated } from './support/mutations.js';
import { FuzzRun, Prng, strangeText, strangeValue, usedHeap } from './support/values.js';

/** Answers of each kind. */
const RUN = new FuzzRun(1_500);
/** Files that decoders read: each takes milliseconds of another process. */
const FILES = new FuzzRun(300);
const AT_ONCE = 16;
/** Bytes that may stay behind after the first tenth, as docs/security.md states it. */
const MAX_GROWTH = 64 * 1024 * 1024;
const NANOSECONDS = 1e6;
const log = createLog({ level: 'silent', pretty: false });

// an error that nobody catches ends a daemon, and fails the test that runs
describe('the parsers of content from strangers', function () {
  this.timeout(7_200_000);
  let folder: TempDir;
  let servers: HostileServer[];
  before(async () => {
    folder = await makeTempDir();
  });
  after(() => folder.remove());
  beforeEach(() => {
    servers = [];
  });
  afterEach(() => Promise.all(servers.map((server) => server.stop())));

  async function hostile(make: MakeBytes): Promise<HostileServer> {
    const server = await HostileServer.start(RUN.seed, make);
    servers.push(server);
    return server;
  }

  /** Runs all cases, some at once, and holds the memory that stays behind. */
  async function each(
    what: string,
    work: (prng: Prng, index: number) => Promise<void>,
    { run = RUN, atOnce = AT_ONCE }: { run?: FuzzRun; atOnce?: number } = {},
  ): Promise<void> {
    run.announce(what);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let next = 0;
    const lane = async (until: number) => {
      while (next < until) {
        const index = next++;
        await work(Prng.forCase(run.seed, index), index).catch((cause: unknown) => {
          throw new Error(`case ${index} of seed ${run.seed} failed`, { cause });
        });
      }
    };
    const inParallel = (until: number) => Promise.all(Array.from({ length: atOnce }, () => lane(until)));
    await inParallel(Math.ceil(run.cases / 10));
    const before = usedHeap();
    delay.reset();
    await inParallel(run.cases);
    const longest = Math.round(delay.max / NANOSECONDS);
    const grown = usedHeap() - before;
    delay.disable();
    process.stdout.write(`    ${what}: longest pause ${longest} ms, ${Math.round(grown / 1024)} KiB stay\n`);
    expect(grown).to.be.below(MAX_GROWTH);
  }

  /** Fails unless the work ends, or fails with a code of the contract. */
  async function contained(work: Promise<unknown>): Promise<void> {
    await work.catch((error: unknown) => {
      if (!(error instanceof GatewayError) || error.code === 'internal') throw error;
    });
  }

  const anything: MakeBytes = (prng) =>
    prng.chance(0.5) ? prng.bytes(prng.int(0, 400)) : Buffer.from(strangeText(prng));
  const polls: MakeBytes = (prng) =>
    Buffer.from(
      JSON.stringify(prng.chance(0.5) ? { options: strangeValue(prng) } : strangeValue(prng)) ?? '',
    );

  it('turn each webhook answer into an outcome', async () => {
    const { port } = await hostile((prng) => httpAnswer(prng, anything));
    const client = new WebhookClient({
      clock: systemClock,
      signing: systemClock,
      allowPrivate: true,
      connections: AT_ONCE,
    });
    const target = readTarget(`http://127.0.0.1:${port}/hook`);
    if (!target) throw new Error('unreachable: it is an address');
    const facts = { token: 'token', deliveryId: '01', type: 'text', attempt: 1, body: Buffer.from('{}') };
    await each('webhook answers', async () => {
      const { outcome, reason } = await client.post(target, facts);
      expect(outcome).to.be.oneOf(['delivered', 'rejected', 'failed']);
      expect(reason === undefined).to.equal(outcome === 'delivered');
    });
    await client.destroy();
  });

  it('turn each answer to a poll look-up into options or a reason', async () => {
    const { port } = await hostile((prng) => httpAnswer(prng, polls));
    const lookups = new PollLookups({ allowPrivate: true, clock: systemClock });
    const receiver = { url: `http://127.0.0.1:${port}/polls`, token: '' };
    await each('poll look-ups', async () => {
      const answer = await lookups.ask(receiver, {
        clientId: 'acme',
        chatRoomId: 'a-1-2',
        pollMessageId: '3EB0',
      });
      if (answer.options) expect(answer.options.every((option) => typeof option === 'string')).to.equal(true);
      else expect(answer.reason).to.not.equal('');
    });
    await lookups.destroy();
  });

  it('turn each page into a bounded and well-formed link preview, or none', async () => {
    const { port } = await hostile((prng) => httpAnswer(prng, page));
    const media = new Media({
      spoolDir: join(folder.path, 'previews'),
      allowPrivate: true,
      clock: systemClock,
      log,
    });
    await media.start();
    await each('link previews', async () => {
      const preview = await media.preview('acme', `http://127.0.0.1:${port}/`);
      if (!preview) return;
      expect(preview.title.length).to.be.within(1, 300);
      expect(preview.description.length).to.be.at.most(1_000);
      expect(preview.title.isWellFormed() && preview.description.isWellFormed()).to.equal(true);
    });
    await media.stop();
  });

  it('turn each download by address into a file, a link or a refusal', async () => {
    const { port } = await hostile((prng) => httpAnswer(prng, anything));
    const spool = new Spool(join(folder.path, 'downloads'));
    await spool.start();
    const fetcher = new UrlFetcher({ allowPrivate: true, spool, clock: systemClock });
    await each('downloads', async () => {
      await contained(
        fetcher.fetch('acme', `http://127.0.0.1:${port}/file`).then(async (file) => {
          if (file === 'too-large') return;
          expect(file.size).to.be.within(1, LIMITS.mediaFallbackBytes);
          await file.discard();
        }),
      );
    });
    expect(spool.onDisk()).to.deep.equal({ files: 0, bytes: 0 });
    await fetcher.stop();
  });

  for (const [kind, make] of [
    ['http', connectAnswer],
    ['socks5', socksAnswer],
  ] as const) {
    it(`open a connection through each ${kind} proxy, or explain in words why not`, async () => {
      const { port } = await hostile(make);
      const tunnel = new Tunnel(`${kind}://user:secret-of-the-proxy@127.0.0.1:${port}`, 2_000);
      await each(`${kind} proxies`, async () => {
        const opened = await tunnel.open('web.whatsapp.com', 443).catch((error: unknown) => error);
        if (opened instanceof ProxyFailure) {
          expect(opened.message).to.match(/^The /).and.not.include('secret-of-the-proxy');
          return;
        }
        if (opened instanceof Error) throw opened;
        if (typeof opened !== 'object' || opened === null || !('destroy' in opened))
          throw new Error('no socket');
        Object(opened)
          .on('error', () => undefined)
          .destroy();
      });
    });
  }

  it('decrypt each file of the media host, or fail with a code', async () => {
    const { port } = await hostile((prng) => httpAnswer(prng, anything));
    const route = mediaRoute(`http://127.0.0.1:${port}`, undefined);
    await each('media host', async (prng) => {
      const media = {
        mediaType: prng.pick(['image', 'audio', 'document', 'sticker'] as const),
        url: prng.pick(['https://mmg.whatsapp.net/v/x', strangeText(prng), 'https://evil.example/x']),
        directPath: prng.pick(['/v/t62/x?oh=1', '', strangeText(prng)]),
        mediaKey: prng.bytes(prng.pick([32, 32, 32, 0, 7])),
        fileSha256: prng.bytes(prng.pick([32, 0])),
        fileEncSha256: prng.bytes(prng.pick([32, 0])),
      };
      await contained(download(route, media).then((stream) => stream.toArray()));
    });
    await route.dispatcher.destroy();
  });

  it('decode each picture, sound, video or document or refuse it, and the decoder survives', async () => {
    const decoders = new Decoders(systemClock);
    const samples = await filesOfAllKinds();
    const tasks = ['detect', 'image', 'audio', 'clip', 'pages', 'portrait', 'sticker'] as const;
    await each(
      'files',
      async (prng, index) => {
        const path = join(folder.path, `file-${index % 64}`);
        const sample = prng.pick(samples);
        await writeFile(path, prng.chance(0.9) ? mutated(prng, sample) : prng.bytes(prng.int(0, 500)));
        const task = prng.pick(tasks);
        const order = { path, waveform: prng.chance(0.5), target: `${path}.webp` };
        const late = AbortSignal.timeout(LIMITS.conversionMs);
        await decoders.run(task, order, late).catch((error: unknown) => expect(error).to.be.an('error'));
      },
      { run: FILES, atOnce: 4 },
    );
    expect(await decoders.run('detect', { path: await gif() }, AbortSignal.timeout(60_000))).to.equal(
      'image/gif',
    );
    decoders.stop();
  });

  it('read each import file, or refuse it with the line', async () => {
    const line = JSON.stringify({
      clientId: 'acme',
      credentials: { me: { id: '1:2@s.whatsapp.net' }, account: {} },
      keys: { session: { '1.0': { a: 1 } }, 'sender-key': { 'g::1::0': [1] } },
      settings: { webhookUrl: 'https://example.com', orgId: '', extraEvents: [] },
    });
    await each('import files', async (prng) => {
      const text = prng.chance(0.9) ? mutated(prng, Buffer.from(`${line}\n${line}\n`)) : anything(prng);
      await readJsonLines(Readable.from([text])).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
      });
    });
  });

  it('refuse each sealed session file with the reason', async () => {
    const right = join(folder.path, 'right.session');
    await writeSealed(right, '{"clientId":"acme"}', 'a long passphrase');
    const { readFile } = await import('node:fs/promises');
    const whole = await readFile(right);
    // a right head costs the time of a passphrase
    await each('sealed files', async (prng, index) => {
      const path = join(folder.path, `sealed-${index % 64}`);
      const head = Buffer.from(whole);
      head.writeUInt8(prng.pick([0, 30, 255]), 10);
      await writeFile(path, mutated(prng, prng.chance(0.5) ? head : whole.subarray(0, prng.int(0, 70))));
      const error = await readSealed(path, 'a long passphrase').catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(CliError);
    });
  });

  it('refuse each backup file before anything is written', async () => {
    const dataDir = join(folder.path, 'store');
    const encryptionKey = Buffer.alloc(32, 7);
    const store = await openStore({ url: 'sqlite', dataDir, encryptionKey });
    await store.sessions.create(session('acme'));
    await store.close();
    const source = await openSqliteBackup({ dataDir });
    const right = join(folder.path, 'right.backup');
    const about = {
      createdAt: '2026-11-24T10:00:00Z',
      release: '2026-11',
      place: dataDir,
      counted: { add: () => undefined },
    };
    await writeBackup(source, { ...about, path: right, encryptionKey });
    await source.close();
    const { readFile } = await import('node:fs/promises');
    const whole = await readFile(right);
    expect((await checkBackup(right, encryptionKey)).contents.sessions).to.have.lengthOf(1);
    await each('backup files', async (prng, index) => {
      const path = join(folder.path, `backup-${index % 64}`);
      const bytes = mutated(prng, whole);
      await writeFile(path, bytes);
      const error = await checkBackup(path, encryptionKey).catch((reason: unknown) => reason);
      if (!bytes.equals(whole)) expect(error).to.be.instanceOf(GatewayError);
    });
  });

  async function gif(): Promise<string> {
    const path = join(folder.path, 'gif');
    await writeFile(path, 'GIF89a');
    return path;
  }
});

const TAGS = [
  ...[
    '<title>',
    '</title>',
    '<meta property="og:title" content="',
    '">',
    '<meta charset="utf-16">',
    '<p>',
    '</b>',
  ],
  ...[
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<script>',
    '</script',
    '&amp',
    '&#xffffffff;',
    '&#0;',
    '<svg><title>',
    "'",
  ],
  ...[
    '<meta name="description" content=',
    '<meta property="og:image" content="//127.0.0.1:1/x.png">',
    '\ud83d',
    '🙂',
  ],
];

function page(prng: Prng): Buffer {
  if (prng.chance(0.02)) return Buffer.from(prng.pick(TAGS).repeat(prng.int(1, 20_000)));
  const pieces = Array.from({ length: prng.int(1, 40) }, () =>
    prng.chance(0.8) ? prng.pick(TAGS) : strangeText(prng),
  );
  return Buffer.from(pieces.join(''));
}

function connectAnswer(prng: Prng): Buffer {
  const status = prng.pick([
    '200 Connection established',
    '200 OK',
    '407 Proxy Authentication Required',
    '502 Bad',
  ]);
  const right = Buffer.from(`HTTP/1.1 ${status}\r\n\r\n`);
  if (prng.chance(0.3)) return httpAnswer(prng, (more) => more.bytes(more.int(0, 50)));
  return prng.chance(0.7) ? mutated(prng, right) : right;
}

/** The answers to a greeting, to user and password, and to the request, in any order (RFC 1928, RFC 1929). */
function socksAnswer(prng: Prng): Buffer {
  const address = prng.pick([
    [1, 127, 0, 0, 1, 0, 80],
    [3, 4, 97, 98, 99, 100, 0, 80],
    [3, 0, 0, 80],
    [3, 255],
    [4, ...Array.from({ length: 16 }, () => 255), 1, 1],
    [9, 9, 9],
  ]);
  const right = Buffer.from(
    prng.pick([
      [5, 0],
      [5, 2],
      [5, 255],
      [1, 0],
      [1, 1],
      [5, prng.int(0, 9), 0, ...address],
      [5, 2, 1, 0, 5, 0, 0, ...address],
      [5, 0, 5, 0, 0, ...address, 65, 66, 67],
    ]),
  );
  if (prng.chance(0.05)) return prng.bytes(prng.int(0, 2_000));
  return prng.chance(0.4) ? mutated(prng, right) : right;
}

async function filesOfAllKinds(): Promise<Buffer[]> {
  const create = { width: 40, height: 30, channels: 3 as const, background: '#c00' };
  const image = () => sharp({ create });
  return [
    ...(await Promise.all([
      image().png().toBuffer(),
      image().jpeg().toBuffer(),
      image().webp().toBuffer(),
      image().gif().toBuffer(),
      image().tiff().toBuffer(),
    ])),
    ...[film(3, { width: 64, height: 48 }), voiceNote(1), recording(1), pdf()],
  ];
}

function pdf(): Buffer {
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      '2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj',
      '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj',
      'trailer<</Root 1 0 R/Size 4>>',
      '%%EOF',
    ].join('\n'),
  );
}
