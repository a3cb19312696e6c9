import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import type { Lab } from './support/lab.js';
import type { Comparison, Side } from './support/report.js';
import type { Worker } from './support/worker.js';

const FILE_MB = 32;
const COUNT = 3;
const ROUNDS = 5;
const METHOD =
  `${COUNT} files of ${FILE_MB} MB a round, one after the other, as documents, to one recipient, whose phone downloads, ` +
  `decrypts and hashes each in the sandbox's process. Gateway: done at the answer 200, which waits for the network's ack. ` +
  `Raw: sendMessage with { url }, done when its promise resolves, which does not wait for the ack`;

/** A file that both sides send, on the disk and at an address. */
interface SharedFile {
  path: string;
  url: string;
  close(): Promise<void>;
}

/** One way to send the file. */
interface Way {
  side: Side;
  worker: Pick<Worker<never>, 'idle' | 'cpuMs'>;
  /** Sends it so many times. @returns how many milliseconds that took */
  send(count: number): Promise<number>;
}

/** Megabytes of files per second of one session. */
export async function media(lab: Lab): Promise<Comparison[]> {
  const file = await shareFile();
  const gateway = await viaGateway(lab, file);
  const raw = await viaLibrary(lab, file);
  const ways = [gateway.uploaded, raw.fromDisk, gateway.byUrl, raw.byUrl];
  for (const way of ways) await way.send(1);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ways) await record(lab, way, ways);
  }
  await file.close();
  return [
    {
      name: `${FILE_MB} MB files, uploaded`,
      unit: 'MB/s',
      gateway: gateway.uploaded.side,
      raw: raw.fromDisk.side,
      method: `${METHOD}. The gateway gets the file in a form over HTTP first; raw reads it from the disk.`,
    },
    {
      name: `${FILE_MB} MB files, by URL`,
      unit: 'MB/s',
      gateway: gateway.byUrl.side,
      raw: raw.byUrl.side,
      method: `${METHOD}. Both fetch the file from the same host.`,
    },
  ];
}

async function viaGateway(lab: Lab, file: SharedFile): Promise<{ uploaded: Way; byUrl: Way }> {
  const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
  const gateway = await lab.gateway();
  const { worker } = gateway;
  await gateway.link(author.number);
  const upload = () => gateway.upload(author.number, recipient.number, file.path);
  const sendByUrl = () => gateway.sendByUrl(author.number, recipient.number, file.url);
  return {
    uploaded: { side: emptySide(), worker, send: (count) => timed(count, upload) },
    byUrl: { side: emptySide(), worker, send: (count) => timed(count, sendByUrl) },
  };
}

async function viaLibrary(lab: Lab, file: SharedFile): Promise<{ fromDisk: Way; byUrl: Way }> {
  const [author, recipient] = [await lab.person('Author'), await lab.person('Recipient')];
  const raw = await lab.raw('memory');
  const { worker } = raw;
  await raw.link(author.number);
  const order = { number: author.number, to: recipient.lid };
  const send = (url: string) => (count: number) => worker.ask('sendFile', { ...order, url, count });
  return {
    fromDisk: { side: emptySide(), worker, send: send(file.path) },
    byUrl: { side: emptySide(), worker, send: send(file.url) },
  };
}

async function timed(count: number, send: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  for (let sent = 0; sent < count; sent++) await send();
  return performance.now() - startedAt;
}

/** One round, once nothing of the last one is left to do. */
async function record(lab: Lab, { side, worker, send }: Way, all: readonly Way[]): Promise<void> {
  await lab.sandbox.idle();
  for (const way of all) await way.worker.idle();
  const cpuBefore = await worker.cpuMs();
  const tookMs = await send(COUNT);
  const cpuMs = (await worker.cpuMs()) - cpuBefore;
  side.rounds.push(((COUNT * FILE_MB) / tookMs) * 1_000);
  side.cpuMsPerMessage?.push(cpuMs / COUNT);
}

function emptySide(): Side {
  return { rounds: [], cpuMsPerMessage: [] };
}

async function shareFile(): Promise<SharedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const path = join(folder, 'file');
  await writeFile(path, randomBytes(FILE_MB * 1024 * 1024));
  const server = createServer(async (_request, response) => {
    const { size } = await stat(path);
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
    pipeline(createReadStream(path), response, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    path,
    url: `http://127.0.0.1:${port}/file`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
