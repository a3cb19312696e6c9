import { fileURLToPath } from 'node:url';
import { answers, ask, at, baileysTexts, fromEnvironment, GatewayProcess, type MakePeer } from './peer.js';

const VERIFY_TOKEN = 'bench-verify-token';

/**
 * fazer-ai/baileys-api, written for 3.5.1. Needs Bun on the path, `bun install` in the folder, and a Redis of its own in
 * `REDIS_URL`. In its development mode it asks for no API key.
 */
export const peer: MakePeer = async ({ folder, port, webhookUrl, network }) => {
  const url = `http://127.0.0.1:${port}`;
  const headers = {};
  const connectionOf = (number: string) => `${url}/connections/${encodeURIComponent(number)}`;
  return {
    title: 'baileys-api (fazer-ai)',
    databases: () => [fromEnvironment('REDIS_URL')],
    start: () =>
      GatewayProcess.start(
        ['bun', '--preload', fileURLToPath(new URL('redirect.mjs', import.meta.url)), 'src/index.ts'],
        {
          cwd: folder,
          env: {
            NODE_ENV: 'development',
            PORT: String(port),
            LOG_LEVEL: 'error',
            BAILEYS_LOG_LEVEL: 'error',
            PEER_WS_URL: network.wsUrl,
            PEER_ROOT_KEY: network.rootKey,
            PEER_QR_TEXT: '1',
          },
        },
        () => answers(`${url}/status`),
      ),
    async pair(number, fromCalls) {
      const body = { webhookUrl, webhookVerifyToken: VERIFY_TOKEN, includeMedia: false };
      await ask(connectionOf(number), { headers, body });
      return fromCalls((call) => {
        const qr = at(call, 'data', 'qrDataUrl') ?? at(call, 'data', 'qr');
        return at(call, 'event') === 'connection.update' && typeof qr === 'string' ? qr : undefined;
      });
    },
    async connected(_number, fromCalls) {
      await fromCalls((call) => at(call, 'data', 'connection') === 'open' || undefined);
    },
    async unpair(number) {
      await ask(connectionOf(number), { method: 'DELETE', headers });
    },
    async send(from, to, text) {
      const body = { jid: `${to.slice(1)}@s.whatsapp.net`, messageContent: { text } };
      await ask(`${connectionOf(from)}/send-message`, { headers, body });
    },
    textsIn: (call) =>
      at(call, 'event') === 'messages.upsert' ? baileysTexts(at(call, 'data', 'messages')) : [],
  };
};
