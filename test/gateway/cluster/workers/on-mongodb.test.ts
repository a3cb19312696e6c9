import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { SandboxClient } from '../../../../src/client/sandbox/client.js';
import { startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { CliProcess } from '../../../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { ALICE, Api, BOB, TOKEN, WEBHOOK_TOKEN } from '../../../support/world.js';
import { MONGODB_URL, makeTestDatabase, type TestDatabase } from '../../store/support/mongo.js';

/** Milliseconds between two looks at what cannot be awaited. */
const LOOK_MS = 50;
const CLIENT_ID = 'acme';

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('switchboard start --workers', function () {
    this.timeout(120_000);
    let dir: TempDir;
    let database: TestDatabase;
    let receiver: TestReceiver;
    let gateway: CliProcess;

    before(async () => {
      dir = await makeTempDir();
      database = makeTestDatabase(server);
      receiver = await startReceiver();
      gateway = new CliProcess(['start', '--json', '--workers', '2', '--network', 'sandbox'], {
        env: {
          SWITCHBOARD_STORE: database.url,
          SWITCHBOARD_DATA_DIR: join(dir.path, 'data'),
          SWITCHBOARD_TOKEN: TOKEN,
          SWITCHBOARD_PORT: '0',
          SWITCHBOARD_SANDBOX_PORT: '0',
          SWITCHBOARD_NODE_NAME: 'node',
          SWITCHBOARD_LEASE_SECONDS: '2',
        },
      });
    });
    after(async () => {
      gateway.signal('SIGKILL');
      await gateway.end();
      await receiver.stop();
      await database.drop();
      await dir.remove();
    });

    /** Everything that it printed as JSON. */
    const printed = () =>
      gateway.output
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line): Record<string, unknown> => JSON.parse(line));

    /** The processes of a worker so far. */
    const pidsOf = (worker: string) =>
      printed()
        .filter((line) => line.msg === 'a worker serves' && line.worker === worker)
        .map(({ pid }) => Number(pid));

    async function holder(api: Api): Promise<string> {
      const { body } = await api.get(`/nodes?clientId=${CLIENT_ID}`);
      const [lease] = Array.isArray(body.leases) ? body.leases : [];
      return String(lease?.podName);
    }

    async function status(api: Api): Promise<string> {
      return String((await api.get(`/qr?clientId=${CLIENT_ID}&format=text`)).body.status);
    }

    async function until(holds: () => Promise<boolean>): Promise<void> {
      while (!(await holds())) await wait(LOOK_MS);
    }

    it('serves one address, also when one of its processes is killed', async () => {
      await gateway.printed('"sandboxUrl"');
      const [{ url, workers, sandboxUrl } = {}] = printed().filter(({ sandboxUrl }) => sandboxUrl);
      const api = new Api(String(url), TOKEN);
      const phones = new SandboxClient(String(sandboxUrl));
      const all = [String(url), ...(Array.isArray(workers) ? workers : [])].map(
        (one) => new Api(String(one), TOKEN),
      );
      for (const person of [ALICE, BOB]) await phones.addPhone(person);
      const webhook = { webhookUrl: receiver.url, webhookToken: WEBHOOK_TOKEN };
      await api.post(`/start?clientId=${CLIENT_ID}`, webhook);
      await until(async () => (await status(api)) === 'qr');
      await phones.scan(
        ALICE.number,
        String((await api.get(`/qr?clientId=${CLIENT_ID}&format=text`)).body.qr),
      );
      await until(async () => (await status(api)) === 'connected');

      const send = async (by: Api, body: string) => {
        const answer = await by.post('/send-message', { clientId: CLIENT_ID, to: BOB.number, body });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
      };
      for (const [index, one] of all.entries()) await send(one, `text ${index}`);
      const { messageId } = await phones.write(BOB.number, { to: ALICE.number, text: 'Hi' });
      await receiver.find(({ body }) => body.includes(messageId));

      const owner = await holder(api);
      process.kill(pidsOf(owner)[0] ?? 0, 'SIGKILL');
      await until(async () => pidsOf(owner).length === 2);
      await until(async () => (await status(api)) === 'connected');
      expect(await holder(api)).to.match(/^node-[12]$/);
      await send(api, 'after the kill');
      const received = (await phones.messages(BOB.number)).map(({ text }) => text);
      expect(received).to.include.members(['text 0', 'text 1', 'text 2', 'Hi', 'after the kill']);

      gateway.signal('SIGTERM');
      const { exitCode, stderr } = await gateway.end();
      expect(exitCode, stderr).to.equal(0);
      const pids = [...pidsOf('node-1'), ...pidsOf('node-2')];
      expect(pids).to.have.length(3);
      for (const pid of pids) expect(() => process.kill(pid, 0)).to.throw('ESRCH');
    });
  });
}
