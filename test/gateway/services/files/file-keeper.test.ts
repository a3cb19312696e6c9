import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { type ErrorCode, GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import { newFile } from '../../../contracts/store/harness.js';
import { CLIENT, type Library, ROOM } from '../../../support/rig/library.js';
import { Rig } from '../../../support/rig/rig.js';

const DAY_MS = 24 * 60 * 60_000;
const PAUSES_MS = [2_000, 15_000, 60_000, 600_000, 3_600_000];
const never = new AbortController().signal;

describe('FileKeeper', () => {
  let rig: Library;
  beforeEach(async () => {
    rig = await (await Rig.start()).library();
  });
  afterEach(() => rig.close());

  const fail = (code: ErrorCode) => async () => {
    throw new GatewayError(code, 'as it was played');
  };
  const idle = () => rig.hosting.keeper.idle();
  /** Advances the clock, and waits for the due work. */
  const pass = async (ms: number) => {
    rig.clock.advance(ms);
    await idle();
  };
  const contentOf = async (id: string): Promise<string | undefined> => {
    const opened = await rig.store.files.open(id);
    return opened && (await buffer(opened.stream)).toString();
  };
  const linkOf = async (messageId: string) => {
    const rows = await rig.hosting.inbox.messages(ROOM, { limit: 200 });
    return rows.find((row) => row.messageId === messageId)?.downloadUrl;
  };
  const open = () => rig.store.expectedFiles.list(CLIENT);
  const codeOf = (asking: Promise<unknown>) => asking.then(String, (error) => error.code);

  it('stores a file with its properties and the age of its message', async () => {
    const id = await rig.record('M1', { age: 5_000 });
    await idle();
    expect(await contentOf(id)).to.equal('/v/M1');
    expect(await rig.store.files.get(id)).to.deep.include({
      id,
      clientId: CLIENT,
      chatRoomId: ROOM,
      messageId: 'M1',
      mimeType: 'image/png',
      mediaType: 'image',
      fileName: '',
      fileSize: 5,
      caption: 'caption of M1',
      createdAt: rig.clock.now() - 5_000,
    });
    expect(await open()).to.deep.equal([]);
    expect(rig.outcomes).to.deep.equal(['stored']);
  });

  describe('FileKeeper, with a file that this node has just sent', () => {
    /** A file on disk, as it is while its message is sent. */
    const upload = (text: string) => rig.spool.take(CLIENT, Readable.from([Buffer.from(text)]));
    const hashOf = ({ sha256 }: { sha256: string }) => ({ fileSha256: Buffer.from(sha256, 'hex') });

    it('stores the file from the disk, and removes it from there once the send has ended too', async () => {
      const sent = await upload('an offer');
      const id = await rig.record('M1', { image: hashOf(sent) });
      await sent.discard();
      await idle();
      expect(await contentOf(id)).to.equal('an offer');
      expect(rig.downloads).to.deep.equal([]);
      expect(rig.spool.onDisk()).to.deep.equal({ files: 0, bytes: 0 });
    });

    it('leaves the file on the disk to a send that has not ended', async () => {
      const sent = await upload('an offer');
      await rig.record('M1', { image: hashOf(sent) });
      await idle();
      expect(await readFile(sent.path, 'utf8')).to.equal('an offer');
      await sent.discard();
      expect(rig.spool.onDisk()).to.deep.equal({ files: 0, bytes: 0 });
    });

    it('downloads the file when it is no longer on the disk, or another session sent it', async () => {
      const sent = await upload('an offer');
      const other = await rig.spool.take('globex', Readable.from([Buffer.from('a plan')]));
      await sent.discard();
      const ids = [
        await rig.record('M1', { image: hashOf(sent) }),
        await rig.record('M2', { image: hashOf(other) }),
      ];
      await idle();
      expect(await Promise.all(ids.map(contentOf))).to.deep.equal(['/v/M1', '/v/M2']);
    });

    it('downloads the file after a failed attempt to read it from the disk', async () => {
      const sent = await upload('an offer');
      await rm(sent.path);
      const id = await rig.record('M1', { image: hashOf(sent) });
      await idle();
      expect(await contentOf(id)).to.equal(undefined);
      await pass(2_000);
      expect(await contentOf(id)).to.equal('/v/M1');
      await sent.discard();
      expect(rig.spool.onDisk()).to.deep.equal({ files: 0, bytes: 0 });
    });

    it('abandons an attempt that ends before the file is opened', async () => {
      const sent = await upload('an offer');
      let reads = 0;
      const by = rig.another({
        files: {
          ...rig.store.files,
          async get(id) {
            const found = await rig.store.files.get(id);
            reads += 1;
            // the first read comes before the attempt
            if (reads === 2) by.keeper.stop();
            return found;
          },
        },
      });
      const id = await rig.record('M1', { by, image: hashOf(sent) });
      await sent.discard();
      await by.keeper.idle();
      expect(reads).to.equal(2);
      expect(await contentOf(id)).to.equal(undefined);
      expect(rig.spool.onDisk()).to.deep.equal({ files: 0, bytes: 0 });
      expect(await open()).to.have.length(1);
    });

    it('removes the file from the disk when the session leaves', async () => {
      rig.download = async ({ signal }) => {
        if (signal && !signal.aborted) await once(signal, 'abort');
        throw new Error('aborted');
      };
      for (let count = 0; count < LIMITS.filesAtOnce; count++) await rig.record(`B${count}`);
      await rig.begun(LIMITS.filesAtOnce);
      const sent = await upload('an offer');
      await rig.record('M1', { image: hashOf(sent) });
      await sent.discard();
      expect(rig.spool.onDisk().files).to.equal(1);
      rig.hosting.keeper.stop();
      expect(rig.spool.onDisk().files).to.equal(0);
    });
  });

  it('fetches a file once, however often its message is recorded', async () => {
    const id = await rig.record('M1');
    expect(await rig.record('M1')).to.equal(id);
    await idle();
    expect(await rig.record('M1')).to.equal(id);
    await idle();
    expect(rig.downloads).to.have.length(1);
    expect(await open()).to.deep.equal([]);
  });

  describe('FileKeeper, with many files at once', () => {
    let release: Map<string, () => void>;
    beforeEach(() => {
      release = new Map();
      rig.download = ({ media: { directPath } }) =>
        new Promise((resolve) => {
          release.set(directPath, () => resolve(Readable.from([Buffer.from(directPath)])));
        });
    });
    const underWay = () => [...release.keys()].map((path) => path.replace('/v/', ''));
    /** Resolves when as many have been begun. */
    const begun = async (count: number) => {
      await rig.begun(count);
      return underWay();
    };
    const finish = (messageId: string) => release.get(`/v/${messageId}`)?.();
    const finishAll = async () => {
      rig.download = async ({ media }) => Readable.from([Buffer.from(media.directPath)]);
      for (const end of release.values()) end();
      await idle();
    };

    it('fetches a few files at a time, those of the newest messages first', async () => {
      for (const age of [60, 50, 40, 30, 90, 10, 20]) await rig.record(`M${age}`, { age });
      expect(await begun(LIMITS.filesAtOnce)).to.deep.equal(['M60', 'M50', 'M40', 'M30']);
      finish('M50');
      expect((await begun(5)).at(-1)).to.equal('M10');
      finish('M40');
      expect((await begun(6)).at(-1)).to.equal('M20');
      await finishAll();
      expect(await open()).to.deep.equal([]);
    });

    it('fetches a file first when a caller waits for it', async () => {
      const ids = new Map<string, string>();
      for (const age of [60, 50, 40, 30, 90, 10]) ids.set(`M${age}`, await rig.record(`M${age}`, { age }));
      await begun(LIMITS.filesAtOnce);
      const waiting = rig.hosting.library.find(ids.get('M90') ?? '', never);
      await rig.clock.scheduled(LIMITS.fileWaitMs);
      finish('M50');
      expect((await begun(5)).at(-1)).to.equal('M90');
      await finishAll();
      expect(await waiting).to.include({ id: ids.get('M90'), fileSize: 6 });
    });

    it('fetches files of imported messages one at a time, the newest first, while no other file waits', async () => {
      for (const age of [60, 90, 70]) await rig.recordPast(`P${age}`, { age });
      expect(await begun(1)).to.deep.equal(['P60']);
      for (const age of [50, 40, 30, 20, 10]) await rig.record(`M${age}`, { age });
      await begun(1 + LIMITS.filesAtOnce);
      finish('P60');
      finish('M50');
      expect((await begun(6)).at(-1)).to.equal('M10');
      expect((await begun(7)).at(-1)).to.equal('P70');
      expect(await open()).to.have.length(6);
      await finishAll();
      expect(await open()).to.deep.equal([]);
    });

    it('resumes the files of imported messages after a stop, the newest first', async () => {
      for (const age of [60, 70, 80]) {
        await rig.recordPast(`P${age}`, { age });
        rig.clock.advance(1);
      }
      await begun(1);
      rig.hosting.keeper.stop();
      await finishAll();
      rig.downloads.length = 0;
      const next = rig.another();
      await next.keeper.resume(CLIENT);
      await next.keeper.idle();
      expect(rig.downloads.map(({ media }) => media.directPath)).to.deep.equal(['/v/P70', '/v/P80']);
    });

    it('aborts downloads at a stop, and resumes them at the next start', async () => {
      const ids = await Promise.all(['M1', 'M2', 'M3', 'M4', 'M5', 'M6'].map((id) => rig.record(id)));
      await begun(LIMITS.filesAtOnce);
      rig.hosting.keeper.stop();
      expect(rig.downloads.every(({ signal }) => signal?.aborted)).to.equal(true);
      for (const end of release.values()) end();
      await idle();
      // the message that was recorded during the stop
      ids.push(await rig.record('M7'));
      const undone = (await open()).map(({ id }) => id);
      expect(undone).to.include.members(ids.slice(LIMITS.filesAtOnce));
      rig.download = async ({ media }) => Readable.from([Buffer.from(media.directPath)]);
      const next = rig.another();
      await next.keeper.resume(CLIENT);
      await next.keeper.idle();
      expect(await Promise.all(ids.map(contentOf))).to.deep.equal(
        ['M1', 'M2', 'M3', 'M4', 'M5', 'M6', 'M7'].map((id) => `/v/${id}`),
      );
      expect(await open()).to.deep.equal([]);
    });

    it('leaves the files of a released session to its next owner', async () => {
      const id = await rig.record('M1');
      await begun(1);
      let isSettled = false;
      const settled = rig.hosting.keeper.settled(id, new AbortController().signal).then((decided) => {
        isSettled = true;
        return decided;
      });
      const ended = rig.hosting.keeper.end(CLIENT);
      for (const end of release.values()) end();
      await ended;
      await idle();
      expect(isSettled).to.equal(false);
      rig.download = async ({ media }) => Readable.from([Buffer.from(media.directPath)]);
      const next = rig.another();
      await next.keeper.resume(CLIENT);
      await next.keeper.idle();
      rig.clock.advance(1_000);
      expect(await settled).to.equal(true);
      expect(await contentOf(id)).to.equal('/v/M1');
    });

    it('writes no file once its session has ended', async () => {
      for (const id of ['M1', 'M2', 'M3', 'M4', 'M5']) await rig.record(id);
      await begun(LIMITS.filesAtOnce);
      const ended = rig.hosting.keeper.end(CLIENT);
      for (const end of release.values()) end();
      await ended;
      await rig.store.forget(CLIENT);
      await idle();
      expect(await rig.store.files.check({ repair: false })).to.deep.equal({
        withoutRecord: 0,
        withoutBytes: 0,
      });
      expect((await rig.store.files.list(CLIENT, { page: 1, limit: 9 })).total).to.equal(0);
      expect(rig.downloads).to.have.length(LIMITS.filesAtOnce);
    });

    it('aborts and retries a download that takes too long', async () => {
      await rig.record('M1');
      await begun(1);
      rig.download = async () => Readable.from(['whole']);
      rig.clock.advance(LIMITS.fileStoringMs);
      expect(rig.downloads[0]?.signal?.aborted).to.equal(true);
      rig.download = async ({ signal }) => {
        signal?.throwIfAborted();
        return Readable.from(['whole']);
      };
      for (const end of release.values()) end();
      await idle();
      await pass(PAUSES_MS[0] ?? 0);
      expect(await open()).to.deep.equal([]);
    });
  });

  describe('a file that cannot be fetched', () => {
    it('a file is retried after growing pauses', async () => {
      rig.download = fail('media_unfetchable');
      const id = await rig.record('M1');
      await idle();
      for (const [index, pauseMs] of PAUSES_MS.entries()) {
        expect(rig.downloads).to.have.length(index + 1);
        await pass(pauseMs - 1);
        expect(rig.downloads).to.have.length(index + 1);
        if (index === 3) rig.download = async () => Readable.from([Buffer.from('at last')]);
        await pass(1);
        if (index === 3) break;
      }
      expect(await contentOf(id)).to.equal('at last');
      expect(rig.outcomes).to.deep.equal(['stored']);
    });

    it('a file leaves its message without a link after the last attempt', async () => {
      rig.download = fail('media_unfetchable');
      const id = await rig.record('M1');
      expect(await linkOf('M1')).to.equal(`https://files.example/media/${id}/file.png`);
      for (const pauseMs of [0, ...PAUSES_MS]) await pass(pauseMs);
      expect(rig.outcomes).to.deep.equal(['lost']);
      expect(await linkOf('M1')).to.equal('');
      expect(await codeOf(rig.hosting.library.find(id, never))).to.equal('file_unknown');
      expect(await codeOf(rig.hosting.inbox.mediaUrl(ROOM, 'M1'))).to.equal('file_unknown');
      expect(await open()).to.deep.equal([]);
      expect(rig.clock.pending()).to.not.include.members([3_600_000]);
    });

    it('a file is uploaded again by the phone when the network has lost it', async () => {
      rig.download = ({ media }) =>
        media.directPath === '/v/M1'
          ? fail('media_gone')()
          : Promise.resolve(Readable.from([Buffer.from(media.directPath)]));
      rig.renew = async () => ({ directPath: '/v/again', url: '' });
      const id = await rig.record('M1');
      await idle();
      expect(await contentOf(id)).to.equal('/v/again');
      expect(rig.asked).to.have.length(1);
      expect(rig.asked[0]).to.deep.include({
        chat: '90000000000002@lid',
        messageId: 'M1',
        fromMe: false,
        sentAt: rig.clock.now(),
      });
    });

    it('a file is lost at once when the network has lost it and its message is imported', async () => {
      rig.download = fail('media_gone');
      await rig.recordPast('M1');
      await idle();
      expect(rig.outcomes).to.deep.equal(['lost']);
      expect(rig.asked).to.deep.equal([]);
      expect(await linkOf('M1')).to.equal('');
    });

    it('a file is lost at once when it is larger than allowed', async () => {
      const piece = Buffer.alloc(LIMITS.libraryFileBytes / 64);
      const pieces = function* () {
        for (let n = 0; n < 64; n += 1) yield piece;
        yield Buffer.from('!');
      };
      const source = Readable.from(pieces());
      rig.download = async () => source;
      const id = await rig.record('M1');
      await idle();
      expect(rig.outcomes).to.deep.equal(['lost']);
      expect(await contentOf(id)).to.equal(undefined);
      expect(source.destroyed).to.equal(true);
      expect(await linkOf('M1')).to.equal('');
    });

    it('a file is not fetched when its message announces a larger size than allowed', async () => {
      const image = { fileLength: LIMITS.libraryFileBytes + 1 };
      expect(await rig.record('M1', { image })).to.equal('');
      expect(await open()).to.deep.equal([]);
      expect(await codeOf(rig.hosting.inbox.mediaUrl(ROOM, 'M1'))).to.equal('file_unknown');
    });

    it('a file is lost when the phone has lost it too', async () => {
      rig.download = fail('media_gone');
      rig.renew = fail('media_gone');
      const id = await rig.record('M1');
      await idle();
      expect(rig.outcomes).to.deep.equal(['lost']);
      expect(await linkOf('M1')).to.equal('');
      expect(await codeOf(rig.hosting.library.find(id, never))).to.equal('file_unknown');
    });

    it('a file is requested again when the phone did not answer', async () => {
      rig.download = fail('media_gone');
      rig.renew = fail('media_phone_silent');
      await rig.record('M1');
      await idle();
      for (const pauseMs of [...PAUSES_MS, 3_600_000, 3_600_000]) await pass(pauseMs);
      expect(rig.asked).to.have.length(8);
      rig.hosting.keeper.connected(CLIENT);
      await idle();
      expect(rig.asked).to.have.length(8);
      expect(rig.outcomes).to.deep.equal([]);
    });

    it('a file waits for the connection over which its phone is asked', async () => {
      rig.download = fail('media_gone');
      await rig.disconnect();
      await rig.record('M1');
      await rig.clock.scheduled(LIMITS.connectionWaitMs);
      await pass(LIMITS.connectionWaitMs);
      expect([rig.asked, rig.outcomes]).to.deep.equal([[], []]);
      await rig.connect();
      rig.renew = async () => {
        rig.download = async () => Readable.from([Buffer.from('again')]);
        return { directPath: '/v/again', url: '' };
      };
      rig.hosting.keeper.connected(CLIENT);
      await idle();
      expect(rig.outcomes).to.deep.equal(['stored']);
    });

    it('a file is abandoned after 14 days', async () => {
      rig.download = fail('media_gone');
      await rig.disconnect();
      await rig.record('M1');
      for (const ms of [LIMITS.connectionWaitMs, 15 * DAY_MS]) {
        await rig.clock.scheduled(LIMITS.connectionWaitMs);
        rig.clock.advance(LIMITS.connectionWaitMs);
        await idle();
        rig.clock.advance(ms);
      }
      await rig.clock.scheduled(LIMITS.connectionWaitMs);
      await pass(LIMITS.connectionWaitMs);
      expect(rig.outcomes).to.deep.equal(['lost']);
    });

    for (const code of ['store_unavailable', 'session_elsewhere'] as const) {
      it(`a file is retried later while the store refuses it (${code})`, async () => {
        let failures = 8;
        const files = {
          ...rig.store.files,
          write: (...write: Parameters<typeof rig.store.files.write>) => {
            write[1].destroy();
            return failures-- > 0 ? fail(code)() : rig.store.files.write(...write);
          },
        };
        const by = rig.another({ files });
        const id = await rig.record('M1', { by });
        await by.keeper.idle();
        for (const pauseMs of [...PAUSES_MS, ...Array(3).fill(PAUSES_MS.at(-1))]) {
          expect(rig.outcomes).to.deep.equal([]);
          rig.clock.advance(pauseMs);
          await by.keeper.idle();
        }
        expect(failures).to.equal(-1);
        expect(await linkOf('M1')).to.include(id);
      });
    }

    it('a file closes its download when the store does not start to read it', async () => {
      const fetched = new Readable({ read: () => undefined });
      rig.download = async () => fetched;
      const files = {
        ...rig.store.files,
        write: (...[, source]: Parameters<typeof rig.store.files.write>) => {
          source.destroy();
          return fail('store_unavailable')();
        },
      };
      const by = rig.another({ files });
      await rig.record('M1', { by });
      await by.keeper.idle();
      expect(rig.downloads).to.have.length(1);
      expect(fetched.destroyed).to.equal(true);
    });
  });

  it('does not fetch the file of a message that was deleted meanwhile', async () => {
    rig.download = fail('media_unfetchable');
    const id = await rig.record('M1');
    await idle();
    await rig.store.history.remove(CLIENT, ROOM, 'M1');
    rig.download = async () => Readable.from(['too late']);
    await pass(PAUSES_MS[0] ?? 0);
    expect(rig.downloads).to.have.length(1);
    expect([await contentOf(id), await open()]).to.deep.equal([undefined, []]);
  });

  it('discards a file whose message is deleted during the download', async () => {
    rig.download = async () => {
      await rig.store.history.remove(CLIENT, ROOM, 'M1');
      return Readable.from(['too late']);
    };
    const id = await rig.record('M1');
    await idle();
    expect([await contentOf(id), await open()]).to.deep.equal([undefined, []]);
  });

  it('stores a file under the new id of a room that is renamed during the download', async () => {
    const to = `${ROOM}9`;
    const move = <Part extends object>(part: Part) => ({ ...part, chatRoomId: to });
    rig.download = async () => {
      await rig.store.history.rekey(CLIENT, { from: ROOM, to, room: move, message: move, pending: move });
      return Readable.from([Buffer.from('there')]);
    };
    const id = await rig.record('M1');
    await idle();
    expect(await contentOf(id)).to.equal(undefined);
    await pass(PAUSES_MS[0] ?? 0);
    expect(await rig.store.files.ofMessage(CLIENT, to, 'M1')).to.include({ id, chatRoomId: to });
    expect(await open()).to.deep.equal([]);
  });

  it('stores the file under its name in place of the unnamed file of a merged room', async () => {
    const former = newFile({ clientId: CLIENT, chatRoomId: ROOM, messageId: 'M1' });
    await rig.store.files.write(former, Readable.from([Buffer.from('former')]));
    const id = await rig.record('M1');
    await idle();
    await pass(PAUSES_MS[0] ?? 0);
    expect(await contentOf(id)).to.equal('/v/M1');
    expect([await contentOf(former.id), await open()]).to.deep.equal([undefined, []]);
  });

  describe('waiting for a file', () => {
    let id: string;
    beforeEach(async () => {
      rig.download = fail('media_unfetchable');
      id = await rig.record('M1');
      await idle();
    });

    it('the wait ends when the file is stored', async () => {
      const found = rig.hosting.library.find(id, never);
      await rig.clock.scheduled(LIMITS.fileWaitMs);
      rig.download = async () => Readable.from([Buffer.from('there')]);
      await pass(PAUSES_MS[0] ?? 0);
      expect(await found).to.include({ id, mimeType: 'image/png', fileName: 'file.png', fileSize: 5 });
    });

    it('the wait ends after a minute at most', async () => {
      const found = codeOf(rig.hosting.library.find(id, never));
      await rig.clock.scheduled(LIMITS.fileWaitMs);
      rig.clock.advance(LIMITS.fileWaitMs);
      expect(await found).to.equal('file_not_ready');
    });

    it('the wait ends when its caller aborts', async () => {
      const leave = new AbortController();
      const found = codeOf(rig.hosting.library.find(id, leave.signal));
      await rig.clock.scheduled(LIMITS.fileWaitMs);
      leave.abort();
      expect(await found).to.equal('file_not_ready');
      expect(rig.clock.pending()).to.not.include(LIMITS.fileWaitMs);
    });

    it('the wait ends when the file is lost', async () => {
      const found = codeOf(rig.hosting.library.find(id, never));
      await rig.clock.scheduled(LIMITS.fileWaitMs);
      rig.download = fail('media_gone');
      rig.renew = fail('media_gone');
      await pass(PAUSES_MS[0] ?? 0);
      expect(await found).to.equal('file_unknown');
    });

    it('the wait ends when the gateway stops', async () => {
      const found = codeOf(rig.hosting.library.find(id, never));
      await rig.clock.scheduled(LIMITS.fileWaitMs);
      rig.hosting.keeper.stop();
      expect(await found).to.equal('file_not_ready');
    });

    it('the wait ends when another node stores the file', async () => {
      const elsewhere = rig.another();
      const found = elsewhere.library.find(id, never);
      await rig.clock.scheduled(1_000);
      rig.download = async () => Readable.from([Buffer.from('there')]);
      await pass(PAUSES_MS[0] ?? 0);
      for (let looks = 0; looks < 2; looks++) rig.clock.advance(1_000);
      expect(await found).to.include({ id, fileSize: 5 });
    });

    it('the wait lasts as long as another node may take to store the file', async () => {
      const elsewhere = rig.another();
      const found = codeOf(elsewhere.library.find(id, never));
      for (let waited = 0; waited < LIMITS.fileWaitMs; waited += 1_000) {
        await rig.clock.scheduled(1_000);
        rig.clock.advance(1_000);
      }
      expect(await found).to.equal('file_not_ready');
    });
  });

  describe('the link of a file', () => {
    for (const [fileName, mimetype, end] of [
      ['offer.pdf', 'application/pdf', 'offer.pdf'],
      ['', 'audio/ogg; codecs=opus', 'file.ogg'],
      ['../../etc/passwd', 'text/plain', 'passwd.txt'],
      ['a b&c?d#e.txt', 'text/plain', 'a%20b%26c%3Fd%23e.txt'],
      [`"'><script>.html`, 'text/html', '%22%27%3E%3Cscript%3E.html'],
      ['Menü (neu)!.pdf', 'application/pdf', 'Men%C3%BC%20%28neu%29%21.pdf'],
      ['..', 'image/png', 'file.png'],
      ['half \ud83d.png', 'image/png', 'half%20%EF%BF%BD.png'],
    ] as const) {
      it(`a link ends in a safe name: ${JSON.stringify(fileName)}`, () => {
        const link = rig.hosting.fileLinks.linkTo('ID', { fileName, mimeType: mimetype });
        expect(link).to.equal(`https://files.example/media/ID/${end}`);
      });
    }

    it('a link is known before the file is stored', async () => {
      rig.download = fail('media_unfetchable');
      const id = await rig.record('M1');
      const url = `https://files.example/media/${id}/file.png`;
      expect(await linkOf('M1')).to.equal(url);
      expect(await rig.hosting.inbox.mediaUrl(ROOM, 'M1')).to.equal(url);
      expect(await rig.hosting.library.urlOf(id)).to.deep.equal({ clientId: CLIENT, url });
      rig.download = async () => Readable.from([Buffer.from('there')]);
      await idle();
      await pass(PAUSES_MS[0] ?? 0);
      expect(await rig.hosting.library.urlOf(id)).to.deep.equal({ clientId: CLIENT, url });
    });

    it('a link exists only for a message with a file', async () => {
      const { library } = rig.hosting;
      for (const id of ['', 'M1', '../x', '7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51']) {
        expect(await codeOf(library.urlOf(id)), id).to.equal('file_unknown');
        expect(await codeOf(library.find(id, never)), id).to.equal('file_unknown');
        expect(await codeOf(library.open(id)), id).to.equal('file_unknown');
      }
    });
  });

  it('lists the files of the session’s current workspace, newest first', async () => {
    const ids: string[] = [];
    for (const age of [30_000, 10_000, 20_000]) ids.push(await rig.record(`M${age}`, { age }));
    await idle();
    const list = (orgId: string, page = { page: 1, limit: 2 }) =>
      rig.hosting.library.list(CLIENT, orgId, page);
    const { files, total } = await list('workspace1');
    expect(total).to.equal(3);
    expect(files.map(({ messageId }) => messageId)).to.deep.equal([ids[1], ids[2]]);
    expect(files[0]).to.deep.equal({
      messageId: ids[1],
      clientId: CLIENT,
      mimeType: 'image/png',
      mediaType: 'image',
      fileName: '',
      fileSize: 9,
      caption: 'caption of M10000',
      createdAt: new Date(rig.clock.now() - 10_000).toISOString(),
    });
    expect((await list('workspace1', { page: 2, limit: 2 })).files).to.have.length(1);
    expect(await list('workspace2')).to.deep.equal({ files: [], total: 0 });
    expect(await codeOf(rig.hosting.library.list('nobody', 'workspace1', { page: 1, limit: 1 }))).to.equal(
      'session_unknown',
    );
  });
});
