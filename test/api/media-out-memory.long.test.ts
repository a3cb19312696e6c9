import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { request } from 'undici';
import { BOB, startKillableWorld, TOKEN, type World } from '../support/world.js';

const MB = 1024 * 1024;
const BOUND_MB = 64;
const UPLOAD = '/send-media-message?clientId=acme';
/** Says to the kernel: forget how much memory the process had at most. */
const FORGET_PEAK = '5';

describe('the memory of a daemon that sends a large file', function () {
  this.timeout(120_000);
  let world: World;

  before(async () => {
    world = await startKillableWorld();
    // what the first file loads is no matter of size
    await upload(1_000, 'video/mp4');
  });
  after(() => world.stop());

  /** Megabytes by which the process grew at most while something was done. */
  async function growthDuring(act: () => Promise<unknown>): Promise<number> {
    await writeFile(`/proc/${world.pid}/clear_refs`, FORGET_PEAK);
    const before = await megabytes('VmRSS');
    await act();
    return (await megabytes('VmHWM')) - before;
  }

  async function megabytes(what: 'VmRSS' | 'VmHWM'): Promise<number> {
    const status = await readFile(`/proc/${world.pid}/status`, 'utf8');
    return Number(new RegExp(`^${what}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
  }

  async function upload(bytes: number, type: string): Promise<void> {
    const part = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
    function* form() {
      yield Buffer.from(`--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n${BOB.number}\r\n`);
      yield Buffer.from(`--x\r\n${part}\r\nContent-Type: ${type}\r\n\r\n`);
      yield* noise(bytes);
      yield Buffer.from('\r\n--x--\r\n');
    }
    const { statusCode, body } = await request(world.api.url + UPLOAD, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: Readable.from(form()),
    });
    expect(statusCode, await body.text()).to.equal(200);
  }

  /** @param announced whether the host says how long the file is */
  async function sendByUrl(bytes: number, announced: boolean): Promise<Record<string, unknown>> {
    world.receiver.respond((response, { method }) => {
      if (method !== 'GET') return response.end();
      response.writeHead(200, { 'content-type': 'video/mp4', ...(announced && { 'content-length': bytes }) });
      Readable.from(noise(bytes)).pipe(response);
    });
    const wish = { clientId: 'acme', to: BOB.number, downloadUrl: `${world.receiver.url}/a.mp4` };
    const { status, body } = await world.api.post('/send-media-message', wish);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  }

  for (const type of ['video/mp4', 'image/jpeg']) {
    it(`grows little with an upload of 100 MB as ${type}`, async () => {
      expect(await growthDuring(() => upload(100 * MB, type))).to.be.lessThan(BOUND_MB);
    });
  }

  it('grows little with a fetch of 60 MB', async () => {
    expect(await growthDuring(() => sendByUrl(60 * MB, true))).to.be.lessThan(BOUND_MB);
  });

  it('grows little with a fetch of 100 MB without a Content-Length', async () => {
    const growth = await growthDuring(async () => {
      expect(await sendByUrl(100 * MB, false)).to.include({ fallback: 'text' });
    });
    expect(growth).to.be.lessThan(BOUND_MB);
  });
});

function* noise(bytes: number): Generator<Buffer> {
  const piece = randomBytes(MB);
  for (let rest = bytes; rest > 0; rest -= MB) yield piece.subarray(0, Math.min(rest, MB));
}
