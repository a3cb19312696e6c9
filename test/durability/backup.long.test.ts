import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { DaemonProcess } from '../support/daemon-process.js';
import { eventIn } from '../support/receiver.js';
import { runCli } from '../support/spawn-cli.js';
import { makeStorePlace, type StorePlace } from '../support/store-place.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { Api, BOB, Conversations, type Side, TOKEN } from '../support/world.js';

/** Messages in each direction before the backup. */
const BEFORE = 15;

/** Stores into which the backup is restored, one after the other: each is backed up again for the next. */
const TARGETS = MONGODB_URL ? ['mongodb', 'sqlite', 'mongodb'] : ['sqlite'];

/** Where a daemon keeps its store. */
interface Place {
  dataDir: string;
  store: string;
}

/** Both ways to take a backup: through the API of a daemon, and from its store. */
const ORIGINS = ['daemon', 'store'] as const;

for (const origin of ORIGINS)
  describe(`a backup taken under traffic from the ${origin}`, function () {
    this.timeout(120_000);
    let conversations: Conversations;
    let elsewhere: TempDir;
    let restored: DaemonProcess | undefined;
    const databases: StorePlace[] = [];
    before(async () => {
      conversations = await Conversations.start();
      elsewhere = await makeTempDir();
    });
    after(async () => {
      await restored?.stop();
      await conversations.stop();
      for (const database of databases) await database.drop();
      await elsewhere.remove();
    });

    it(`brings back every session without pairing, and every message that was answered before, in ${TARGETS.join(', then ')}`, async () => {
      const { world, plain, hosted } = conversations;
      const answered: string[] = [];
      const kept: string[] = [];
      let isOver = false;
      const send = async ({ clientId }: Side, body: string, api: Api = world.api) => {
        const answer = await api.post('/send-message', { clientId, to: BOB.number, body });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        return String(answer.body.messageId);
      };
      const traffic = async (ids: string[], work: (n: number) => Promise<string>) => {
        for (let n = 0; !isOver; n++) ids.push(await work(n));
      };
      const running = Promise.all([
        traffic(kept, (n) => send(hosted, `sent ${n}`)),
        traffic(
          kept,
          async (n) => (await conversations.fromBob(hosted, { text: `received ${n}` })).messageId,
        ),
        traffic(answered, (n) => send(plain, `without history ${n}`)),
      ]);
      running.catch(() => undefined);
      await until('traffic', async () => Math.min(kept.length / 2, answered.length) >= BEFORE);

      const { dataDir, store, encryptionKey } = world.settings();
      const env = { SWITCHBOARD_ENCRYPTION_KEY: String(encryptionKey) };
      const command = async (verb: string, path: string, place: Place, ...flags: string[]) => {
        const argv = ['store', verb, path, '--json', '--data-dir', place.dataDir, '--store', place.store];
        const { exitCode, stdout, stderr } = await runCli([...argv, ...flags], { env });
        expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
        return JSON.parse(stdout);
      };
      const backUp = async (place: Place, path: string, url: string) => {
        if (origin === 'store') {
          expect(await command('backup', path, place)).to.include({ sessions: 2, missingFiles: 0 });
          return;
        }
        const { exitCode, stdout, stderr } = await runCli(['store', 'backup', path, '--json'], {
          env: { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: TOKEN },
        });
        expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
        expect(JSON.parse(stdout)).to.include({ sessions: 2, missingFiles: 0, daemon: url });
      };

      const before = [...kept];
      let path = join(elsewhere.path, 'first.backup');
      await backUp({ dataDir: String(dataDir), store: String(store) }, path, world.daemon.url);
      isOver = true;
      await running;
      await world.stopDaemon();

      for (const [n, kind] of TARGETS.entries()) {
        const place = await makePlace(kind, join(elsewhere.path, String(n)));
        expect(await command('restore', path, place, '--dry-run')).to.include({ restored: false });
        await command('restore', path, place);
        await restored?.stop();
        restored = await DaemonProcess.start({ ...world.settings(), ...place });
        const api = new Api(restored.url, TOKEN);
        for (const { clientId } of [plain, hosted]) {
          await until(
            'the link',
            async () => (await api.post('/check-state', { clientId })).body.status === true,
          );
        }
        // what was answered and not yet in the history is in the outbox or the journal, and is completed now
        await until('the answered messages', async () => {
          const ids = new Set(await idsOf(api, hosted));
          return before.every((id) => ids.has(id));
        });

        // ratchets that are older than those of the others are repaired by retries
        for (const side of [plain, hosted]) {
          await send(side, `after restore ${n} of ${side.clientId}`, api);
          const text = `to restored ${n} ${side.clientId}`;
          const { messageId } = await world.phones.write(BOB.number, { to: side.phone.number, text });
          await world.receiver.find((call) => eventIn(call)?.messageId === messageId);
          await world.phones.waitForMessage(
            BOB.number,
            (message) => message.text === `after restore ${n} of ${side.clientId}`,
          );
        }
        path = join(elsewhere.path, `${n}.backup`);
        await backUp(place, path, restored.url);
      }
      const texts = (await world.phones.messages(BOB.number)).map(({ text }) => text);
      expect(texts).to.have.length(new Set(texts).size);
    });

    async function makePlace(kind: string, dataDir: string): Promise<Place> {
      await mkdir(dataDir);
      if (kind === 'sqlite') return { dataDir, store: 'sqlite' };
      const database = await makeStorePlace();
      databases.push(database);
      return { dataDir, store: database.setting };
    }
  });

/** The ids of all stored messages of the chat. */
async function idsOf(api: Api, { chatRoomId }: Side): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const before = ids[0] === undefined ? '' : `?before=${ids[0]}`;
    const { body } = await api.get(`/chatrooms/${chatRoomId}/messages${before}`);
    const page = Array.isArray(body.messages) ? body.messages : [];
    if (page.length === 0) return ids;
    ids.unshift(...page.map(({ messageId }) => String(messageId)));
  }
}
