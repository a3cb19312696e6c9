import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../../../src/domain/json.js';
import { clientIdOf } from '../support/send-texts.js';
import { answers, ask, at, GatewayProcess, type MakePeer, until } from './peer.js';

const TOKEN = 'bench-master-token-0123456789';

/** Switchboard itself, as its package is installed. */
export const peer: MakePeer = async ({ folder, dataDir, port, webhookUrl, network }) => {
  const version = at(readJson(await readFile(join(folder, 'package.json'), 'utf8')), 'version');
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  const look = (number: string) => ask(`${url}/qr?clientId=${clientIdOf(number)}&format=text`, { headers });
  return {
    title: `Switchboard ${version}`,
    start: () =>
      GatewayProcess.start(
        [
          process.execPath,
          join(folder, 'bin', 'run.js'),
          'start',
          '--port',
          String(port),
          '--log-level',
          'silent',
        ],
        {
          cwd: dataDir,
          env: {
            SWITCHBOARD_DATA_DIR: dataDir,
            SWITCHBOARD_TOKEN: TOKEN,
            SWITCHBOARD_NETWORK: `sandbox+${network.wsUrl}`,
          },
        },
        () => answers(`${url}/health/live`),
      ),
    async pair(number) {
      const body = { webhookUrl, webhookToken: TOKEN };
      await ask(`${url}/start?clientId=${clientIdOf(number)}`, { headers, body });
      let qr: unknown;
      await until('a QR', async () => {
        const answer = await look(number);
        qr = at(answer, 'qr');
        return at(answer, 'status') === 'qr';
      });
      return String(qr);
    },
    connected: (number) =>
      until('a connection', async () => at(await look(number), 'status') === 'connected'),
    async unpair(number) {
      await ask(`${url}/disconnect`, { headers, body: { clientId: clientIdOf(number) } });
    },
    async send(from, to, text) {
      await ask(`${url}/send-message`, { headers, body: { clientId: clientIdOf(from), to, body: text } });
    },
    textsIn(call) {
      const text = at(call, 'body');
      return typeof text === 'string' ? [text] : [];
    },
  };
};
