import type { IncomingMessage } from 'node:http';
import type { SampleFields } from '../events/sample.js';
import { type CallOptions, JsonApi } from './json-api.js';
import type { HttpAnswer } from './transport.js';
import type { Upload } from './upload.js';
import type {
  CheckStateAnswer,
  ClientRow,
  ConfigAnswer,
  HealthRow,
  QrAnswer,
  SendAnswer,
  StartAnswer,
  TestEventAnswer,
  WebhookChange,
} from './wire.js';

/** A send waits for the connection (10 s) and for the network's acknowledgement (20 s). */
const SEND_TIMEOUT_MS = 60_000;
/** The time for the whole way of a large file: to the daemon, and from there to the network. */
const UPLOAD_TIMEOUT_MS = 15 * 60_000;
/** A delivery takes at most four attempts of 15 s each, with pauses in between. */
export const DELIVERY_TIMEOUT_MS = 75_000;

export interface DaemonAddress {
  url: string;
  /** The master token or a session's secret; undefined when none was found. */
  token?: string;
  /** Where the token was looked for, to say so when the daemon refuses. */
  tokenPath?: string;
  /** Ends every call that is under way. */
  signal?: AbortSignal;
}

/** A daemon over HTTP, one method for each call. Every failure is a CliError. */
export class DaemonClient {
  readonly #api: JsonApi;

  constructor(address: DaemonAddress) {
    this.#api = new JsonApi({
      url: address.url,
      what: 'a Switchboard daemon',
      headers: address.token ? { authorization: `Bearer ${address.token}` } : {},
      signal: address.signal,
      unreachable: ['start the daemon: switchboard start', 'or name another one: --url or SWITCHBOARD_URL'],
      suggest: (status) => suggestionsFor(status, address),
    });
  }

  get url(): string {
    return this.#api.url;
  }

  /** Any route. The answer's shape is trusted, as the contract gives it. */
  call<Answer extends object>(
    method: 'GET' | 'POST',
    path: string,
    options: Pick<CallOptions, 'query' | 'body' | 'timeoutMs'> = {},
  ): Promise<Answer> {
    return this.#api.call<Answer>(method, path, { timeoutMs: SEND_TIMEOUT_MS, ...options });
  }

  /** Any route, of which not all answer with JSON. */
  text(
    method: 'GET' | 'POST',
    path: string,
    options: Pick<CallOptions, 'query' | 'body'> = {},
  ): Promise<string> {
    return this.#api.text(method, path, { timeoutMs: SEND_TIMEOUT_MS, ...options });
  }

  start(clientId: string, webhook: WebhookChange = {}): Promise<StartAnswer> {
    return this.#api.post('/start', { query: { clientId }, body: webhook });
  }

  /** The text inside the current QR. */
  qr(clientId: string): Promise<QrAnswer> {
    return this.#api.get('/qr', { query: { clientId, format: 'text' } });
  }

  pairPhone(clientId: string, phone: string): Promise<{ code: string }> {
    return this.#api.post('/pair-phone', { body: { clientId, phone: phone.replace(/\D/g, '') } });
  }

  checkState(clientId: string): Promise<CheckStateAnswer> {
    return this.#api.post('/check-state', { body: { clientId } });
  }

  async clients(): Promise<ClientRow[]> {
    return (await this.#api.get<{ clients: ClientRow[] }>('/clients')).clients;
  }

  /**
   * The health of sessions, and maybe of others. The node that answers knows its own; when another one holds any of those
   * that are wanted, all nodes are asked. A session of which nobody can tell is left out.
   */
  async health(wanted: readonly string[]): Promise<HealthRow[]> {
    const { clients } = await this.#api.get<{ clients: HealthRow[] }>('/health/clients');
    const known = new Set(clients.map(({ clientId }) => clientId));
    if (wanted.every((clientId) => known.has(clientId))) return clients;
    const query = { clientId: wanted.length === 1 ? wanted[0] : undefined };
    const fleet = this.#api.get<{ sessions: HealthRow[] }>('/fleet', { query });
    return fleet.then(({ sessions }) => sessions).catch(() => clients);
  }

  setWebhook(
    clientId: string,
    webhook: WebhookChange,
  ): Promise<{ webhookUrl: string; pollLookupUrl: string }> {
    return this.#api.post('/set-webhook', { body: { clientId, ...webhook } });
  }

  /** An empty `orgId` ends the history. */
  setOrgId(clientId: string, orgId: string): Promise<{ clientId: string; orgId: string }> {
    return this.#api.post('/set-org-id', { body: { clientId, orgId } });
  }

  setApiSecret(clientId: string, secret: string): Promise<{ clientId: string; hasSecret: boolean }> {
    return this.#api.post('/set-api-secret', { body: { clientId, secret } });
  }

  disconnect(clientId: string): Promise<{ ok: boolean; clientId: string; warning?: string }> {
    return this.#api.post('/disconnect', { body: { clientId } });
  }

  /**
   * Sends a message by the route of its kind.
   * @param idempotencyKey makes it safe to call again when the answer was lost.
   */
  send(path: `/${string}`, body: object, idempotencyKey?: string): Promise<SendAnswer> {
    const headers = idempotencyKey ? { 'idempotency-key': idempotencyKey } : undefined;
    return this.#api.post(path, { body, headers, timeoutMs: SEND_TIMEOUT_MS });
  }

  /** Uploads a form with a file. `clientId` is in the address too, because nobody reads the form on the way. */
  upload(
    path: `/${string}`,
    clientId: string,
    { body, contentType }: Upload,
    idempotencyKey: string,
  ): Promise<SendAnswer> {
    const headers = { 'content-type': contentType, 'idempotency-key': idempotencyKey };
    return this.#api.post(path, { query: { clientId }, body, headers, timeoutMs: UPLOAD_TIMEOUT_MS });
  }

  deleteMessage(deletion: object): Promise<{ status: boolean }> {
    return this.#api.post('/delete-message', { body: deletion, timeoutMs: SEND_TIMEOUT_MS });
  }

  /** @param fields what of the event is not as usual. */
  sendTestEvent(clientId: string, type: string, fields: SampleFields = {}): Promise<TestEventAnswer> {
    const body = { clientId, type, ...(Object.keys(fields).length > 0 && { fields }) };
    return this.#api.post('/send-test-event', { body, timeoutMs: DELIVERY_TIMEOUT_MS });
  }

  config(): Promise<ConfigAnswer> {
    return this.#api.get('/config');
  }

  /** The raw answer: its status says as much as its body. */
  probe(path: '/health/live' | '/health/ready', timeoutMs: number): Promise<HttpAnswer> {
    return this.#api.exchange('GET', path, { timeoutMs });
  }

  /** The live stream of events and attempts, as server-sent events. */
  events(options: {
    clientId?: string;
    lastEventId?: string;
    /** Signals of rooms that changed, too. */
    rooms?: boolean;
    signal: AbortSignal;
  }): Promise<IncomingMessage> {
    const { clientId, lastEventId, rooms, signal } = options;
    return this.#api.stream('/events', {
      query: { clientId, rooms: rooms ? 'true' : undefined },
      headers: { accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) },
      signal,
    });
  }
}

function suggestionsFor(status: number, { token, tokenPath }: DaemonAddress): string[] {
  if (status === 401 && token === undefined) {
    const where = tokenPath ? ` (no token was found in ${tokenPath})` : '';
    return [
      `pass --token or set SWITCHBOARD_TOKEN${where}`,
      "or point --data-dir to the daemon's data directory",
    ];
  }
  if (status === 401) return ['the token is not the one of this daemon: check --token and SWITCHBOARD_TOKEN'];
  if (status === 403) return ["a session's secret opens that session only: use the master token"];
  if (status === 404) return ['see which sessions there are: switchboard sessions list'];
  if (status === 409) return ['see what the session does: switchboard sessions list'];
  if (status === 502 || status === 503) return ['find out why: switchboard doctor'];
  return [];
}
