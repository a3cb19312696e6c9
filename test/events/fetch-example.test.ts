import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { encryptFile } from '../../src/link/baileys/media/encrypt.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';

const PAGE = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');

/** What the page shows, with the network's media host in place of `fetch`. */
interface Example {
  run(fetch: (url: string) => Promise<Response>, media: object): Promise<Buffer>;
}

describe('the way to fetch a file that the page of the events shows', () => {
  let folder: TempDir;

  beforeEach(async () => {
    folder = await makeTempDir();
  });

  afterEach(() => folder.remove());

  it('gives the file that was encrypted', async () => {
    const { run } = await shownExample();
    const path = join(folder.path, 'file');
    const bytes = randomBytes(100_000);
    await writeFile(path, bytes);
    for (const mediaType of ['image', 'video', 'audio', 'document', 'sticker'] as const) {
      const { mediaKey, body } = await encryptFile(mediaType, path, new AbortController().signal);
      const encrypted = await buffer(body());
      const asked: string[] = [];
      const fetch = async (url: string) => {
        asked.push(url);
        return new Response(Uint8Array.from(encrypted));
      };
      const download = { mediaKey: Buffer.from(mediaKey).toString('base64'), directPath: '/v/file.enc' };
      expect((await run(fetch, { mediaType, download })).equals(bytes), mediaType).to.equal(true);
      expect(asked).to.deep.equal(['https://mmg.whatsapp.net/v/file.enc']);
    }
  });

  async function shownExample(): Promise<Example> {
    const [, code = ''] = /```js\n([\s\S]*?)\n```/.exec(PAGE) ?? [];
    const [, imports = '', rest = ''] = /^((?:import .*\n)*)([\s\S]*)$/.exec(code) ?? [];
    const path = join(folder.path, 'example.mjs');
    await writeFile(
      path,
      `${imports}export function run(fetch, media) {\n${rest}\nreturn fetchFile(media);\n}\n`,
    );
    return import(pathToFileURL(path).href);
  }
});
