import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { type Clock, systemClock } from '../../../../src/domain/clock.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { OutgoingFile } from '../../../../src/gateway/kinds/kind.js';
import { createLog } from '../../../../src/gateway/log.js';
import type { FilePayload } from '../../../../src/gateway/services/files/media.js';
import { Media } from '../../../../src/gateway/services/files/media.js';
import { film, pdf, recording, voiceNote } from '../../../support/made-files.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { until } from '../../../support/until.js';

const WISHES: FilePayload = {
  clientId: 'acme',
  to: '+15550000002',
  mimeType: '',
  fileName: '',
  caption: '',
  asVoice: false,
  asSticker: false,
};

describe('Media', () => {
  let folder: TempDir;
  let media: Media;
  let host: TestReceiver;

  before(async () => {
    folder = await makeTempDir();
    host = await startReceiver();
    media = makeMedia('spool', join(folder.path, 'no programs'));
    await media.start();
  });

  after(async () => {
    await media.stop();
    await host.stop();
    await folder.remove();
  });

  function makeMedia(
    spool: string,
    searchPath: string,
    { clock = systemClock, uninspected }: { clock?: Clock; uninspected?: () => void } = {},
  ): Media {
    return new Media({
      spoolDir: join(folder.path, spool),
      allowPrivate: true,
      clock,
      log: createLog({ level: 'silent', pretty: false }),
      searchPath,
      ...(uninspected && { uninspected }),
    });
  }

  /** Everything on disk at this time. */
  async function onDisk(): Promise<string[]> {
    const [run = ''] = await readdir(join(folder.path, 'spool'));
    return readdir(join(folder.path, 'spool', run));
  }

  /** Uploads bytes and gets them ready; nothing may be left afterwards. */
  async function upload(bytes: Buffer, wishes: Partial<FilePayload> = {}): Promise<OutgoingFile> {
    const file = await media.spool('acme', Readable.from([bytes]));
    try {
      const prepared = await media.prepare({ ...WISHES, ...wishes }, { file });
      if (!('file' in prepared)) throw new Error('an upload has no fallback');
      expect(prepared.file.size).to.equal((await readFile(prepared.file.path)).length);
      await prepared.discard();
      return prepared.file;
    } finally {
      await file.discard();
      expect(await onDisk()).to.deep.equal([]);
    }
  }

  /** Fetches bytes from a host that says this of them. */
  async function fetchFile(
    bytes: Buffer,
    { path = '/', headers = {}, ...wishes }: Partial<FilePayload> & { path?: string; headers?: object } = {},
  ): Promise<OutgoingFile> {
    host.respond((response) => response.writeHead(200, { ...headers }).end(bytes));
    const prepared = await media.prepare({ ...WISHES, ...wishes }, { downloadUrl: `${host.url}${path}` });
    if (!('file' in prepared)) throw new Error('it was too large');
    expect(await readFile(prepared.file.path)).to.deep.equal(bytes);
    await prepared.discard();
    expect(await onDisk()).to.deep.equal([]);
    return prepared.file;
  }

  const failureOf = (sending: Promise<unknown>) =>
    sending.then(
      () => expect.fail('it was taken'),
      (error) => ({ code: error.code, message: error.message }),
    );

  describe('Media: the type of a file', () => {
    const jpeg = () => picture(8, 6).jpeg().toBuffer();

    it('the type is detected from the bytes, whatever its host and name say', async () => {
      const headers = { 'content-type': 'text/html' };
      const file = await fetchFile(await jpeg(), { path: '/a.pdf', headers });
      expect(file).to.include({ mimeType: 'image/jpeg', fileName: 'a.pdf' });
    });

    it('the type comes from the caller, if named', async () => {
      const file = await fetchFile(await jpeg(), { mimeType: 'application/octet-stream', path: '/a.jpg' });
      expect(file).to.include({ mimeType: 'application/octet-stream', fileName: 'a.jpg' });
      expect(file).not.to.have.any.keys('width', 'thumbnail');
    });

    it('the type comes from the host when the bytes show none', async () => {
      const headers = { 'content-type': 'text/csv; charset=utf-8' };
      const file = await fetchFile(Buffer.from('a,b\n1,2\n'), { path: '/export', headers });
      expect(file).to.include({ mimeType: 'text/csv', fileName: 'file.csv' });
    });

    it('the type comes from the extension when its host sends none', async () => {
      const headers = { 'content-type': 'application/octet-stream' };
      const file = await fetchFile(Buffer.from('<p>Hi'), { path: '/a/Price%20list.HTML?v=1', headers });
      expect(file).to.include({ mimeType: 'text/html', fileName: 'Price list.HTML' });
    });

    it('the type comes from the extension rather than from the content encoding', async () => {
      const empty = Buffer.from('504b0506000000000000000000000000000000000000', 'hex');
      expect((await fetchFile(empty, { path: '/a.docx' })).mimeType).to.match(/wordprocessingml/);
      expect((await fetchFile(empty, { path: '/a.zip' })).mimeType).to.equal('application/zip');
    });

    it('the type is application/octet-stream when nothing shows the type', async () => {
      const file = await fetchFile(randomBytes(100).fill(1));
      expect(file).to.include({ mimeType: 'application/octet-stream', fileName: 'file' });
    });
  });

  describe('Media: the name of a file', () => {
    const nameOf = async (wishes: Parameters<typeof fetchFile>[1]) =>
      (await fetchFile(Buffer.from('plain'), { mimeType: 'text/plain', ...wishes })).fileName;
    const disposition = (text: string) => ({ headers: { 'content-disposition': text } });

    it('the name comes from the caller, then from the host, then from the URL', async () => {
      const headers = { 'content-disposition': 'inline; filename=host.txt' };
      expect(await nameOf({ path: '/address.txt', headers, fileName: 'caller.txt' })).to.equal('caller.txt');
      expect(await nameOf({ path: '/address.txt', headers })).to.equal('host.txt');
      expect(await nameOf({ path: '/address.txt' })).to.equal('address.txt');
      expect(await nameOf({ path: '/' })).to.equal('file.txt');
    });

    it('the name is decoded from every form that hosts use', async () => {
      expect(await nameOf(disposition('attachment; filename="a \\"b\\".txt"'))).to.equal('a "b".txt');
      expect(await nameOf(disposition("attachment; filename=x; filename*=UTF-8''%C3%A4.txt"))).to.equal(
        'ä.txt',
      );
      expect(await nameOf(disposition('attachment'))).to.equal('file.txt');
    });

    it('the name is stripped of folders and control characters, and limited to 255 bytes with its extension', async () => {
      expect(await nameOf({ fileName: '../../etc/passwd' })).to.equal('passwd.txt');
      expect(await nameOf({ fileName: 'C:\\temp\\a.txt' })).to.equal('a.txt');
      expect(await nameOf({ fileName: '...' })).to.equal('file.txt');
      expect(await nameOf({ fileName: 'a\u202etxt.\u0000exe' })).to.equal('atxt.exe');
      const long = await nameOf({ fileName: `${'ä'.repeat(300)}.txt` });
      expect(long)
        .to.have.lengthOf(255)
        .and.match(/ä\.txt$/);
    });
  });

  describe('Media: a picture', () => {
    it('a picture has its size and a small JPEG', async () => {
      const file = await upload(await picture(640, 480).png().toBuffer(), { mimeType: 'image/png' });
      expect(file).to.include({ mimeType: 'image/png', width: 640, height: 480 });
      const thumbnail = await sharp(file.thumbnail).metadata();
      expect(thumbnail).to.include({ format: 'jpeg', width: 128, height: 96 });
      expect(file.thumbnail?.length).to.be.lessThan(10_000);
    });

    it('a picture has the size after its rotation', async () => {
      const upright = await picture(64, 48).withMetadata({ orientation: 6 }).jpeg().toBuffer();
      const file = await upload(upright, { mimeType: 'image/jpeg' });
      expect(file).to.include({ width: 48, height: 64 });
      expect(await sharp(file.thumbnail).metadata()).to.include({ width: 48, height: 64 });
    });

    it('a picture is sent without a thumbnail when it is broken', async () => {
      const whole = await picture(640, 480).png().toBuffer();
      for (const bytes of [whole.subarray(0, 30), randomBytes(1_000), Buffer.from('<svg/>')]) {
        const file = await upload(bytes, { mimeType: 'image/png' });
        expect(file).to.include({ mimeType: 'image/png' }).and.not.have.property('thumbnail');
      }
    });

    it('a picture is sent without a thumbnail when it is a decompression bomb', async () => {
      const bomb = await picture(9_000, 7_500).png({ compressionLevel: 1 }).toBuffer();
      const file = await upload(bomb, { mimeType: 'image/png' });
      expect(file).to.include({ width: 9_000, height: 7_500 }).and.not.have.property('thumbnail');
    });
  });

  describe('Media: a sticker', () => {
    const sticker = (bytes: Buffer) => upload(bytes, { mimeType: 'image/webp', asSticker: true });

    it('a sticker is unchanged when it is one already', async () => {
      const webp = await picture(512, 512).webp().toBuffer();
      const file = await sticker(webp);
      expect(file).to.include({ mimeType: 'image/webp', width: 512, height: 512, size: webp.length });
      expect(file.animated).to.equal(false);
    });

    it('a sticker is converted from any picture, with transparent edges', async () => {
      const file = await media.spool('acme', Readable.from([await picture(300, 100).jpeg().toBuffer()]));
      const prepared = await media.prepare({ ...WISHES, mimeType: 'image/jpeg', asSticker: true }, { file });
      if (!('file' in prepared)) throw new Error('an upload has no fallback');
      expect(prepared.file).to.include({ mimeType: 'image/webp', width: 512, height: 512 });
      expect(prepared.file.path).not.to.equal(file.path);
      const { info, data } = await sharp(prepared.file.path).raw().toBuffer({ resolveWithObject: true });
      expect(info).to.include({ width: 512, height: 512, channels: 4 });
      expect([data[3], data[(256 * 512 + 256) * 4 + 3]]).to.deep.equal([0, 255]);
      await prepared.discard();
      await file.discard();
      expect(await onDisk()).to.deep.equal([]);
    });

    it('a sticker is scaled down when it is too large', async () => {
      const file = await sticker(await picture(1024, 1024).webp().toBuffer());
      expect(file).to.include({ width: 512, height: 512 });
    });

    it('a sticker stays animated', async () => {
      const frames = await Promise.all(
        ['red', 'blue'].map((colour) => picture(90, 90, colour).png().toBuffer()),
      );
      const gif = await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer();
      const file = await upload(gif, { mimeType: 'image/gif', asSticker: true });
      expect(file).to.include({ animated: true, width: 512, height: 512, mimeType: 'image/webp' });
    });

    it('a sticker is refused when it is not a picture', async () => {
      for (const bytes of [randomBytes(100), film(3), voiceNote(1)]) {
        const { code, message } = await failureOf(sticker(bytes));
        expect(code).to.equal('media_unsupported');
        expect(message).to.match(/^asSticker takes a picture: .*; this file is none of them$/);
      }
    });
  });

  describe('Media: a sound', () => {
    it('a sound has its duration', async () => {
      const file = await upload(recording(3), { mimeType: 'audio/wav' });
      expect(file).to.include({ mimeType: 'audio/wav', seconds: 3 });
      expect(file).not.to.have.property('waveform');
    });

    it('a sound has a waveform and its codec as a voice note', async () => {
      const file = await upload(voiceNote(4), { mimeType: 'audio/ogg', asVoice: true });
      expect(file).to.include({ mimeType: 'audio/ogg; codecs=opus', seconds: 4 });
      const bars = [...(file.waveform ?? [])];
      expect(bars).to.have.lengthOf(64);
      expect(Math.max(...bars)).to.equal(100);
      expect(Math.min(...bars.slice(0, 30))).to.be.greaterThan(0);
      expect(Math.max(...bars.slice(34))).to.equal(0);
    });

    it('a sound has no waveform unless it is a voice note', async () => {
      const file = await upload(voiceNote(1), { mimeType: 'audio/ogg' });
      expect(file).to.include({ mimeType: 'audio/ogg', seconds: 1 }).and.not.have.property('waveform');
    });

    it('a sound is sent without its properties when it is not audio, or not Opus', async () => {
      const noise = await upload(randomBytes(1_000), { mimeType: 'audio/mpeg', asVoice: true });
      expect(noise).to.include({ mimeType: 'audio/mpeg' }).and.not.have.property('waveform');
      const tone = await upload(recording(2), { mimeType: 'audio/wav', asVoice: true });
      expect(tone).to.include({ mimeType: 'audio/wav', seconds: 2 }).and.not.have.property('waveform');
    });
  });

  describe('Media: a video', () => {
    it('a video has the properties from its container where no decoder is installed', async () => {
      const file = await upload(film(7, { width: 640, height: 360 }), { mimeType: 'video/mp4' });
      expect(file).to.include({ mimeType: 'video/mp4', seconds: 7, width: 640, height: 360 });
      expect(file).not.to.have.property('thumbnail');
    });

    it('a video has the size after its rotation', async () => {
      const file = await upload(film(1, { width: 640, height: 360, turned: true }), {
        mimeType: 'video/mp4',
      });
      expect(file).to.include({ width: 360, height: 640, seconds: 1 });
    });

    it('a video is sent without its properties when the bytes are something else', async () => {
      const file = await upload(randomBytes(1_000), { mimeType: 'video/mp4' });
      expect(file).to.include({ mimeType: 'video/mp4' }).and.not.have.any.keys('width', 'thumbnail');
    });

    describe('Media: a video, where ffmpeg is installed', () => {
      let programs: TempDir;
      let seeing: Media;

      before(async () => {
        programs = await makeTempDir();
        seeing = makeMedia('seeing', programs.path);
        await seeing.start();
      });
      after(async () => {
        await seeing.stop();
        await programs.remove();
      });

      const install = async (name: string, script: string) => {
        const path = join(programs.path, name);
        await writeFile(path, `#!/bin/sh\n${script}\n`);
        await chmod(path, 0o755);
      };
      const look = async (by = seeing) => {
        const file = await by.spool('acme', Readable.from([film(7)]));
        const prepared = await by.prepare({ ...WISHES, mimeType: 'video/mp4' }, { file });
        if (!('file' in prepared)) throw new Error('an upload has no fallback');
        return prepared.file;
      };

      it('a video has a thumbnail', async () => {
        const stream = { width: 640, height: 360, side_data_list: [{ rotation: -90 }] };
        const probed = JSON.stringify({ streams: [stream], format: { duration: '6.6' } });
        await install('ffprobe', `echo '${probed}'`);
        await install('ffmpeg', `printf 'a small picture'`);
        const file = await look();
        expect(file).to.include({ seconds: 7, width: 360, height: 640 });
        expect(Buffer.from(file.thumbnail ?? []).toString()).to.equal('a small picture');
      });

      it('a video is decoded without access to other files', async () => {
        const log = join(programs.path, 'arguments');
        await install('ffprobe', `echo "$@" >> '${log}'; echo '{"streams":[],"format":{}}'`);
        await install('ffmpeg', `echo "$@" >> '${log}'`);
        const { path } = await look();
        const lines = (await readFile(log, 'utf8')).trim().split('\n');
        expect(lines).to.have.lengthOf(2);
        for (const line of lines) {
          expect(line).to.match(/-protocol_whitelist file -format_whitelist mov,mp4/);
          expect(line).to.contain(`file:${path}`);
        }
      });

      it('a video is decoded beside at most one other, however many are sent', async () => {
        const log = join(programs.path, 'runs');
        await install('ffprobe', `echo begin >> '${log}'; /bin/sleep 0.2; echo end >> '${log}'; exit 1`);
        // no inspection is given up on a slow machine
        const patient = makeMedia('patient', programs.path, { clock: new ManualClock() });
        await patient.start();
        await Promise.all(Array.from({ length: 5 }, () => look(patient)));
        await patient.stop();
        let running = 0;
        const together = (await readFile(log, 'utf8'))
          .trim()
          .split('\n')
          .map((line) => {
            running += line === 'begin' ? 1 : -1;
            return running;
          });
        expect(together).to.have.lengthOf(10);
        expect(Math.max(...together)).to.be.at.most(2);
      });

      if (process.platform === 'linux') {
        it('a video is decoded without the rights of the daemon', async () => {
          const log = join(programs.path, 'rights');
          const facts = ['ulimit -d', 'ulimit -c', '/usr/bin/env', '/bin/cat /proc/self/status'];
          await install('ffprobe', `(${facts.join('; ')}) > '${log}'; exit 1`);
          await look();
          const text = await readFile(log, 'utf8');
          expect(text).to.match(/^(1048576|1572864)\n0\n/);
          expect(text).to.match(/^NoNewPrivs:\s+1$/m);
          const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name);
          expect(names)
            .to.include('PATH')
            .and.to.have.members(
              ['PATH', 'PWD', 'OLDPWD', '_', 'SHLVL'].filter((name) => names.includes(name)),
            );
        });
      }

      it('leaves no program running when it is aborted', async () => {
        const stopping = makeMedia('stopping', programs.path);
        await stopping.start();
        const alive = join(programs.path, 'alive');
        const never = join(programs.path, 'never');
        execFileSync('mkfifo', [alive, never]);
        const wait = `read -r line < '${never}'`;
        // it also starts a program that outlives it
        await install('ffprobe', `exec 3> '${alive}'; (${wait}) & echo it runs >&3; ${wait}`);
        const file = await stopping.spool('acme', Readable.from([film(7)]));
        const prepared = stopping.prepare({ ...WISHES, mimeType: 'video/mp4' }, { file });
        // the stream ends when the last process has closed the other end
        const lifeline = createReadStream(alive);
        await once(lifeline, 'data');
        const dead = once(lifeline, 'end');
        await stopping.stop();
        await dead;
        await prepared;
      });

      it('a video is sent without a thumbnail when the programs fail', async () => {
        await install('ffprobe', 'exit 1');
        expect(await look()).to.include({ seconds: 7 });
        await install('ffprobe', `echo '{"streams":[{"width":4,"height":2}]}'`);
        await install('ffmpeg', 'exit 1');
        expect(await look())
          .to.include({ width: 4, height: 2 })
          .and.not.have.property('thumbnail');
      });
    });
  });

  describe('Media: a document', () => {
    it('a document has its page count when it is a PDF', async () => {
      const file = await upload(pdf(3), { mimeType: 'application/pdf', fileName: 'menu.pdf' });
      expect(file).to.include({ mimeType: 'application/pdf', pageCount: 3, fileName: 'menu.pdf' });
    });

    it('a document is sent without its properties when the bytes are something else', async () => {
      const file = await upload(randomBytes(1_000), { mimeType: 'application/pdf' });
      expect(file).to.include({ fileName: 'file.pdf' }).and.not.have.property('pageCount');
    });
  });

  describe('Media: the files of one session', () => {
    /** The boxes of a hostile film: nothing is in them, and there is no end of them. */
    const boxes = Buffer.alloc(8 * 200_000, '\0\0\0\x08free', 'latin1');
    const hostile = Buffer.concat([Buffer.from('\0\0\0\x10ftypisom\0\0\0\0', 'latin1'), boxes]);

    it('do not delay the files of another session, and are sent without inspection after 3 seconds', async () => {
      let uninspected = 0;
      // time stands still, so that a slow machine gives no file up
      const clock = new ManualClock();
      const slow = makeMedia('slow', join(folder.path, 'no programs'), {
        clock,
        uninspected: () => uninspected++,
      });
      await slow.start();
      const prepare = async (clientId: string, bytes: Buffer, mimeType: string) => {
        const file = await slow.spool(clientId, Readable.from([bytes]));
        return slow.prepare({ ...WISHES, clientId, mimeType }, { file });
      };
      let ready = 0;
      const films = Array.from({ length: 8 }, async () => {
        const film = await prepare('hostile', hostile, 'video/mp4');
        ready += 1;
        return film;
      });
      await clock.scheduled(LIMITS.inspectionMs);
      const picture = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      expect(await prepare('acme', picture, 'image/png')).to.have.nested.include({ 'file.width': 1 });
      expect([uninspected, ready < films.length]).to.deep.equal([0, true]);
      await until('all films', async () => {
        clock.advance(LIMITS.inspectionMs);
        return ready === films.length;
      });
      for (const film of await Promise.all(films))
        expect(film).to.have.nested.include({ 'file.mimeType': 'video/mp4' });
      expect(uninspected).to.be.greaterThan(0);
      await slow.stop();
    });
  });

  describe('Media: a URL of a file that is too large', () => {
    const tooLarge = async (caption: string) => {
      host.respond((response) =>
        response.writeHead(200, { 'content-length': LIMITS.mediaFallbackBytes + 1 }).write('a'),
      );
      return media.prepare({ ...WISHES, caption }, { downloadUrl: `${host.url}/a.iso?key=1` });
    };

    it('the file becomes a text with the caption and the link', async () => {
      const text = `Look at this\n${host.url}/a.iso?key=1`;
      expect(await tooLarge('Look at this')).to.deep.equal({ fallback: { text } });
      expect(await tooLarge('')).to.deep.equal({ fallback: { text: `${host.url}/a.iso?key=1` } });
    });
  });

  it('refuses a file that cannot be fetched, and leaves nothing on the disk', async () => {
    host.respond((response) => response.writeHead(404).end());
    const { code } = await failureOf(media.prepare(WISHES, { downloadUrl: host.url }));
    expect(code).to.equal('media_unfetchable');
    host.respond((response) => response.end('no picture'));
    const sticker = media.prepare({ ...WISHES, asSticker: true }, { downloadUrl: host.url });
    expect((await failureOf(sticker)).code).to.equal('media_unsupported');
    expect(await onDisk()).to.deep.equal([]);
  });
});

function picture(width: number, height: number, background = 'green'): Sharp {
  return sharp({ create: { width, height, channels: 3, background } });
}
