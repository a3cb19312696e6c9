import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { LinkPreview } from '../../../../src/gateway/kinds/kind.js';
import { createLog } from '../../../../src/gateway/log.js';
import { Media } from '../../../../src/gateway/services/files/media.js';
import { picture } from '../../../support/made-files.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { type Respond, startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';

const TITLE = '<meta property="og:title" content="Menu">';

describe('Media: the preview of a link', () => {
  let folder: TempDir;
  let host: TestReceiver;
  let clock: ManualClock;
  let media: Media;
  before(async () => {
    folder = await makeTempDir();
    host = await startReceiver();
    clock = new ManualClock();
    media = await mediaWith('spool', true);
  });
  after(async () => {
    await media.stop();
    await host.stop();
    await folder.remove();
  });

  async function mediaWith(spool: string, allowPrivate: boolean): Promise<Media> {
    const log = createLog({ level: 'silent', pretty: false });
    const made = new Media({ spoolDir: join(folder.path, spool), allowPrivate, clock, log });
    await made.start();
    return made;
  }

  /** The preview of a page of these bytes; nothing may be left on the disk. */
  async function previewOf(
    page: string | Buffer,
    { type = 'text/html; charset=utf-8', other }: { type?: string; other?: Respond } = {},
  ): Promise<LinkPreview | undefined> {
    host.respond((response, call, index) => {
      if (call.path !== '/' && other) return other(response, call, index);
      response.setHeader('content-type', type);
      response.end(page);
    });
    const preview = await media.preview('acme', `${host.url}/`);
    const [run = ''] = await readdir(join(folder.path, 'spool'));
    expect(await readdir(join(folder.path, 'spool', run))).to.deep.equal([]);
    return preview;
  }

  const textsOf = async (page: string | Buffer, type?: string) => {
    const { title, description } = (await previewOf(page, type ? { type } : {})) ?? {};
    return { title, description };
  };

  it('prefers the title that the page names for previews to the title of the page', async () => {
    const named = `<title>Own</title>${TITLE}<meta name="description" content="  Soup\n and salad ">`;
    expect(await textsOf(named)).to.deep.equal({ title: 'Menu', description: 'Soup and salad' });
    expect(await textsOf('<TITLE>Own &amp; only</TITLE><svg><title>icon</title></svg>')).to.deep.equal({
      title: 'Own & only',
      description: '',
    });
    expect(await textsOf('<script>"<title>no</title>"</script><p>nothing</p>')).to.deep.equal({
      title: undefined,
      description: undefined,
    });
  });

  it('reads a page in the encoding that its host or the page itself names', async () => {
    const latin = (head: string) => Buffer.from(`${head}<title>Menü</title>`, 'latin1');
    expect(await textsOf(latin(''), 'text/html; charset=ISO-8859-1')).to.include({ title: 'Menü' });
    expect(await textsOf(latin('<meta charset="windows-1252">'), 'text/html')).to.include({ title: 'Menü' });
    expect(await textsOf('<title>Menü</title>', 'text/html; charset=nonsense')).to.include({ title: 'Menü' });
  });

  it('makes a small JPEG of the picture, whose address may be relative to the last redirect', async () => {
    const png = Buffer.from(await picture('green'), 'base64');
    const asked: string[] = [];
    host.respond((response, { path }) => {
      asked.push(path);
      if (path === '/') return response.writeHead(302, { location: '/deep/page' }).end();
      const isPicture = path.endsWith('.png');
      response.setHeader('content-type', isPicture ? 'image/png' : 'text/html');
      response.end(isPicture ? png : `${TITLE}<meta property="og:image" content="menu.png">`);
    });
    const { thumbnail, url } = (await media.preview('acme', `${host.url}/`)) ?? {};
    expect(asked).to.deep.equal(['/', '/deep/page', '/deep/menu.png']);
    expect(url).to.equal(`${host.url}/`);
    expect(await sharp(thumbnail).metadata()).to.include({ format: 'jpeg', width: 128, height: 128 });
  });

  const PICTURE = `${TITLE}<meta property="og:image" content="/picture">`;
  const NO_PICTURES: readonly [what: string, respond: Respond][] = [
    ['is missing', (response) => response.writeHead(404).end()],
    [
      'is too large',
      (response) =>
        response.setHeader('content-type', 'image/png').end(Buffer.alloc(LIMITS.linkPreviewPictureBytes + 1)),
    ],
    ['is not decodable', (response) => response.setHeader('content-type', 'image/png').end('no picture')],
    ['is a page', (response) => response.setHeader('content-type', 'text/html').end('<p>')],
  ];
  for (const [what, other] of NO_PICTURES) {
    it(`leaves out the thumbnail where the picture ${what}`, async () => {
      const preview = await previewOf(PICTURE, { other });
      expect(preview).to.include({ title: 'Menu' }).and.not.have.property('thumbnail');
    });
  }

  it('reads only the beginning of a long page', async () => {
    const padding = ' '.repeat(LIMITS.linkPreviewPageBytes);
    expect(await textsOf(`${TITLE}${padding}`)).to.include({ title: 'Menu' });
    expect(await previewOf(`${padding}${TITLE}`)).to.equal(undefined);
  });

  it('gives up at its time limit: without a page there is no preview, without a picture no thumbnail', async () => {
    const late = async (path: string) => {
      const waiting = media.preview('acme', `${host.url}${path}`);
      await host.find((call) => call.path === '/silent');
      clock.advance(LIMITS.linkPreviewMs);
      return waiting;
    };
    host.respond((response, { path }) => {
      if (path !== '/silent') {
        response.setHeader('content-type', 'text/html');
        response.end(`${TITLE}<meta property="og:image" content="/silent">`);
      }
    });
    expect(await late('/'))
      .to.include({ title: 'Menu' })
      .and.not.have.property('thumbnail');
    expect(await late('/silent')).to.equal(undefined);
    expect(clock.pending()).to.not.include(LIMITS.linkPreviewMs);
  });

  it('connects to no private address, and to no http address, where these are not permitted', async () => {
    const guarded = await mediaWith('guarded', false);
    try {
      const before = host.calls.length;
      for (const scheme of ['http', 'https']) {
        expect(await guarded.preview('acme', `${scheme}://127.0.0.1:${host.port}/`)).to.equal(undefined);
      }
      expect(host.calls).to.have.lengthOf(before);
    } finally {
      await guarded.stop();
    }
  });
});
