import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../../../src/domain/json.js';
import {
  answers,
  ask,
  at,
  baileysTexts,
  fromEnvironment,
  GatewayProcess,
  type MakePeer,
  until,
} from './peer.js';

const API_KEY = 'bench-api-key-0123456789';
const EVENTS = ['MESSAGES_UPSERT', 'SEND_MESSAGE', 'CONNECTION_UPDATE'];

/**
 * Evolution API, written for 2.3.7. Needs `npm install` and `npm run build` in the folder, its migrated database in
 * `DATABASE_CONNECTION_URI` and a Redis in `CACHE_REDIS_URI`, and its other settings in the folder's `.env`. Its Baileys needs the late start.
 */
export const peer: MakePeer = async ({ folder, port, webhookUrl, network }) => {
  const url = `http://127.0.0.1:${port}`;
  const headers = { apikey: API_KEY };
  const version = at(readJson(await readFile(join(folder, 'package.json'), 'utf8')), 'version');
  const nameOf = (number: string) => `bench-${number.slice(1)}`;
  return {
    title: `Evolution API ${version}`,
    databases: () => [fromEnvironment('DATABASE_CONNECTION_URI'), fromEnvironment('CACHE_REDIS_URI')],
    start: () =>
      GatewayProcess.start(
        [process.execPath, '--import', new URL('redirect.mjs', import.meta.url).href, 'dist/main.js'],
        {
          cwd: folder,
          env: {
            SERVER_PORT: String(port),
            SERVER_URL: url,
            AUTHENTICATION_API_KEY: API_KEY,
            TELEMETRY_ENABLED: 'false',
            LOG_LEVEL: 'ERROR',
            PEER_WS_URL: network.lateStartWsUrl,
            PEER_ROOT_KEY: network.rootKey,
            PEER_BAILEYS: 'baileys',
          },
        },
        () => answers(url),
      ),
    async pair(number) {
      const instanceName = nameOf(number);
      const webhook = { enabled: true, url: webhookUrl, byEvents: false, base64: false, events: EVENTS };
      const body = { instanceName, integration: 'WHATSAPP-BAILEYS', qrcode: true, webhook };
      let qr = at(await ask(`${url}/instance/create`, { headers, body }), 'qrcode', 'code');
      await until('a QR', async () => {
        if (typeof qr !== 'string')
          qr = at(await ask(`${url}/instance/connect/${instanceName}`, { headers }), 'code');
        return typeof qr === 'string';
      });
      return String(qr);
    },
    connected: (number) =>
      until('a connection', async () => {
        const answer = await ask(`${url}/instance/connectionState/${nameOf(number)}`, { headers });
        return at(answer, 'instance', 'state') === 'open';
      }),
    unpair: (number) =>
      until('the end of the instance', async () => {
        // refused for a moment after the login, and once it is gone
        await ask(`${url}/instance/delete/${nameOf(number)}`, { method: 'DELETE', headers }).catch(
          () => undefined,
        );
        const kept = await ask(`${url}/instance/fetchInstances`, { headers });
        return Array.isArray(kept) && !kept.some((instance) => at(instance, 'name') === nameOf(number));
      }),
    async send(from, to, text) {
      await ask(`${url}/message/sendText/${nameOf(from)}`, { headers, body: { number: to.slice(1), text } });
    },
    textsIn: (call) =>
      ['messages.upsert', 'send.message'].includes(String(at(call, 'event')))
        ? baileysTexts(at(call, 'data'))
        : [],
  };
};
