import { FakeDaemon } from '../../support/fake-daemon.js';

export const TOKEN = 'a-token-of-at-least-16-characters';

const STANDING = { draining: false, sessions: 1 };
const LONG_AGO = '2026-01-01T00:00:00.000Z';

/** A healthy session as the daemon describes it; other field values cause findings. */
export function wellSession(clientId: string, changes: Record<string, unknown> = {}) {
  return {
    clientId,
    status: 'connected',
    reason: '',
    since: LONG_AGO,
    connected: true,
    loggedIn: true,
    reconnects: 0,
    connectedAt: LONG_AGO,
    lastDisconnect: '',
    lastStanzaAt: new Date().toISOString(),
    webhook: { origin: '', waiting: 0, inFlight: 0, failed: 0, delivered: 0, dropped: 0 },
    ...changes,
  };
}

/** A session in the answer of `/clients`. */
export function wellClient(clientId: string, changes: Record<string, unknown> = {}) {
  const jid = '15550000001@s.whatsapp.net';
  return { clientId, jid, podName: 'n', orgId: '', webhookUrl: '', ...changes };
}

/** A node in the answer of `/nodes`. */
export function wellNode(podName: string, changes: Record<string, unknown> = {}) {
  const times = { ageSeconds: 3_600, silentSeconds: 0 };
  const url = `http://${podName}.invalid:3000`;
  return {
    nodeId: `id-${podName}`,
    podName,
    url,
    self: false,
    version: '2026-01',
    ...times,
    ...STANDING,
    ...changes,
  };
}

/** The face of a daemon with one session, both well, that a test can make ill. */
export class WellDaemon {
  readonly http: FakeDaemon;
  client: Record<string, unknown> = wellClient('acme');
  /** Undefined: another node holds it. */
  session: Record<string, unknown> | undefined = wellSession('acme');
  node: Record<string, unknown> = { uptimeSeconds: 86_400, store: { ms: 1 }, network: { state: 'ok' } };
  failed: Record<string, unknown>[] = [];
  nodes: Record<string, unknown>[] = [wellNode('n', { self: true, url: '' })];
  leases: Record<string, unknown>[] = [];

  private constructor(http: FakeDaemon) {
    this.http = http;
    http.token = TOKEN;
    http.on('GET /health/live', { status: 'ok', podName: 'n', uptime: '1h0m0s' });
    http.on('GET /health/ready', { status: 'ok', database: true });
    http.on('GET /config', { podName: 'n', environment: 'sandbox', version: '2026-01', routes: [] });
    http.on('GET /clients', () => ({ body: { clients: [this.client] } }));
    http.on('GET /fleet', () => ({
      body: { nodes: [this.node], sessions: this.session ? [this.session] : [] },
    }));
    http.on('GET /nodes', () => ({ body: { nodes: this.nodes, leases: this.leases } }));
    http.on('GET /failed-deliveries', () => ({ body: { failedDeliveries: this.failed } }));
    http.on('POST /send-test-event', { deliveryId: '01', delivered: true, reason: '', signed: true });
  }

  static async start(): Promise<WellDaemon> {
    return new WellDaemon(await FakeDaemon.start());
  }
}
