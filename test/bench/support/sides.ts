import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { SandboxClient } from '../../../src/client/sandbox/client.js';
import { Api } from '../../support/world.js';
import type { GatewayRole } from '../roles/gateway.js';
import type { RawRole } from '../roles/raw.js';
import { clientIdOf, sendTexts } from './send-texts.js';
import type { Worker } from './worker.js';

const POLL_MS = 20;
const COUNT_MS = 200;
const POLLS_AT_MOST = 1_000;
const TOKEN = 'bench-master-token-0123456789';

/** What a daemon is started with. */
export interface DaemonSettings {
  wsUrl: string;
  dataDir: string;
  /** The setting of that name; SQLite without it. */
  store?: string;
  /** Of a store that is there already, in hex. */
  encryptionKey?: string;
  /** The setting of that name; `bench` without it. */
  nodeName?: string;
  leaseSeconds?: number;
  /** The setting of that name; none without it. */
  policy?: string;
}

/** The gateway, as its callers see it: over HTTP. */
export class GatewaySide {
  worker: Worker<GatewayRole>;
  readonly #make: () => Worker<GatewayRole>;
  readonly #phones: SandboxClient;
  readonly #settings: DaemonSettings;
  #api = new Api('http://none.invalid', TOKEN);
  readonly #agent = new Agent();

  /** @param make starts a process */
  constructor(make: () => Worker<GatewayRole>, phones: SandboxClient, settings: DaemonSettings) {
    this.#make = make;
    this.worker = make();
    this.#phones = phones;
    this.#settings = settings;
  }

  /** Where the API is, and its token. */
  get door(): { url: string; token: string } {
    return { url: this.#api.url, token: TOKEN };
  }

  /** What tells the command line which daemon this is. */
  get environment(): Record<string, string> {
    return { SWITCHBOARD_URL: this.#api.url, SWITCHBOARD_TOKEN: TOKEN };
  }

  /** Starts the daemon; sessions that are known come back by themselves. */
  async start(): Promise<void> {
    const url = await this.worker.ask('start', { ...this.#settings, token: TOKEN });
    this.#api = new Api(url, TOKEN);
  }

  /** Stops the daemon; its process lives on. */
  async stop(): Promise<void> {
    await this.worker.ask('stop', {});
  }

  /** Kills the process; the next start happens in a new one. */
  async replace(): Promise<void> {
    await this.worker.kill();
    this.worker = this.#make();
  }

  /** Resolves when so many sessions are connected. */
  async allConnected(count: number): Promise<void> {
    for (;;) {
      const { sessions } = await this.#must('GET', '/health/ready');
      const isCount = typeof sessions === 'object' && sessions !== null && 'connected' in sessions;
      if (isCount && sessions.connected === count) return;
      await wait(COUNT_MS);
    }
  }

  /** Sends one text. */
  async sendText(from: string, to: string, body: string): Promise<void> {
    await this.#must('POST', '/send-message', { clientId: clientIdOf(from), to, body });
  }

  /** Links a number to a session of the same name as its digits. @param webhookUrl none, when it is empty */
  async link(number: string, webhookUrl = ''): Promise<void> {
    const clientId = clientIdOf(number);
    const webhook = webhookUrl ? { webhookUrl, webhookToken: TOKEN } : {};
    await this.#must('POST', `/start?clientId=${clientId}`, webhook);
    const { qr } = await this.#until(clientId, 'qr');
    await this.#phones.scan(number, String(qr));
    await this.#until(clientId, 'connected');
  }

  /** Resolves when a session is connected. */
  async connected(number: string): Promise<void> {
    await this.#until(clientIdOf(number), 'connected');
  }

  /** Changes where a session's events go; empty for nowhere. */
  async setWebhook(number: string, webhookUrl: string): Promise<void> {
    const webhook = webhookUrl ? { webhookUrl, webhookToken: TOKEN } : { webhookUrl };
    await this.#must('POST', '/set-webhook', { clientId: clientIdOf(number), ...webhook });
  }

  /** Gives a session a secret of its own. */
  async setSecret(number: string, secret: string): Promise<void> {
    await this.#must('POST', '/set-api-secret', { clientId: clientIdOf(number), secret });
  }

  /** Sends texts through the API. @returns how many milliseconds all of them took */
  send(from: string, to: string, count: number, parallel: number): Promise<number> {
    return sendTexts(this.door, [{ from, to }], count, parallel);
  }

  /** Uploads a file to the API as a document. */
  async upload(from: string, to: string, path: string): Promise<void> {
    const { size } = await stat(path);
    const part = 'Content-Disposition: form-data; name="file"; filename="file"';
    const head = [
      `--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n${to}\r\n`,
      `--x\r\n${part}\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ].join('');
    const tail = '\r\n--x--\r\n';
    async function* form() {
      yield Buffer.from(head);
      yield* createReadStream(path);
      yield Buffer.from(tail);
    }
    const { statusCode, body } = await request(
      `${this.#api.url}/send-media-message?clientId=${clientIdOf(from)}`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKEN}`,
          'content-type': 'multipart/form-data; boundary=x',
          'content-length': String(head.length + size + tail.length),
        },
        body: Readable.from(form(), { objectMode: false }),
      },
    );
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`an upload was answered ${statusCode}: ${answer}`);
  }

  /** Has the API send a file by its address. */
  async sendByUrl(from: string, to: string, downloadUrl: string): Promise<void> {
    await this.#must('POST', '/send-media-message', { clientId: clientIdOf(from), to, downloadUrl });
  }

  /** Asks for something, and reads the answer to its end. @returns the answer */
  async read(path: string): Promise<string> {
    const { statusCode, body } = await this.#agent.request({
      origin: this.#api.url,
      path,
      method: 'GET',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${answer}`);
    return answer;
  }

  async end(): Promise<void> {
    await this.#agent.destroy();
    await this.worker.ask('stop', {}).catch(() => undefined);
    await this.worker.stop();
  }

  async #until(clientId: string, status: string): Promise<Record<string, unknown>> {
    for (let poll = 0; poll < POLLS_AT_MOST; poll++) {
      const answer = await this.#must('GET', `/qr?clientId=${clientId}&format=text`);
      if (answer.status === status) return answer;
      await wait(POLL_MS);
    }
    throw new Error(`session ${clientId} did not become ${status}`);
  }

  async #must(method: 'GET' | 'POST', path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.#api.call(method, path, body, {});
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${answer.body.error}`);
    return answer.body;
  }
}

/** The bare library, in a process that does nothing else. */
export class RawSide {
  readonly worker: Worker<RawRole>;
  readonly #phones: SandboxClient;

  readonly #folder: string;

  /** @param folder where it keeps keys; empty: in memory */
  constructor(worker: Worker<RawRole>, phones: SandboxClient, folder: string) {
    this.worker = worker;
    this.#phones = phones;
    this.#folder = folder;
  }

  /** Links a number. */
  async link(number: string): Promise<void> {
    await this.#phones.scan(number, await this.worker.ask('qr', { number, folder: this.#folder }));
    await this.worker.ask('opened', { number });
  }

  async end(): Promise<void> {
    await this.worker.stop();
  }
}
