import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { compiledProject } from '../../support/compiled.js';
import { comparePeers } from '../peers.js';
import { Lab } from '../support/lab.js';
import { peer as baileysApi } from './baileys-api.js';
import { peer as evolution } from './evolution.js';
import { startLateStart } from './late-start.js';
import type { PeerPlace } from './peer.js';
import { databaseAt, ProcessTree } from './processes.js';

/** A round begins when everybody rests, which takes half a minute at most on a busy machine. */
const TEST_MS = 15 * 60_000;

const PLACE: PeerPlace = {
  folder: process.cwd(),
  dataDir: '/nowhere',
  port: 1,
  webhookUrl: 'http://127.0.0.1:1/',
  network: { wsUrl: 'ws://127.0.0.1:1/', rootKey: '', lateStartWsUrl: 'ws://127.0.0.1:1/' },
};

// the processes are read from /proc
if (process.platform === 'linux') {
  describe('the comparison with other gateways', () => {
    let lab: Lab;
    before(async () => {
      lab = await Lab.open();
    });
    after(() => lab?.close());

    it('measures two gateways in turns, one of them with an adapter that is named by its path', async () => {
      const folder = compiledProject();
      const named = [`switchboard=${folder}`, `test/bench/peers/switchboard.ts=${folder}`];
      const [sends, inbound, ...rest] = await comparePeers(lab, named, { warmUp: 2, rounds: 2, count: 4 });
      expect(rest).to.deep.equal([]);
      for (const side of [sends?.gateway, sends?.raw, inbound?.gateway, inbound?.raw]) {
        expect(side?.rounds).to.have.lengthOf(2);
        for (const perSecond of side?.rounds ?? []) expect(perSecond).to.be.above(0);
        expect(side?.cpuMsPerMessage).to.have.lengthOf(2);
      }
      expect(sends?.rawIs).to.match(/^Switchboard \d/);
      expect(sends?.raw.cpuMsOf).to.deep.equal({});
    }).timeout(TEST_MS);

    it('starts with a slow first answer, measures the databases, and unlinks its sessions at the end', async () => {
      const folder = compiledProject();
      const named = [`switchboard=${folder}`, `test/bench/peers/support/guest.ts=${folder}`];
      const [sends, inbound] = await comparePeers(lab, named, { warmUp: 1, rounds: 1, count: 2 });
      for (const side of [sends?.raw, inbound?.raw]) expect(side?.cpuMsOf?.databases).to.have.lengthOf(1);
      const phones = await lab.phones.phones();
      const own = phones.filter(({ name }) => name.startsWith('Own '));
      expect(own).to.not.be.empty;
      expect(own.flatMap(({ devices }) => devices)).to.deep.equal([]);
    }).timeout(TEST_MS);

    it('delays the first bytes of the network, and passes all bytes on in order', async () => {
      const server = createServer((socket) => {
        for (let index = 0; index < 20; index++) socket.write(`${index} `);
        socket.end();
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const relay = await startLateStart(`ws://127.0.0.1:${port}/ws`);
      try {
        const { port: late, pathname } = new URL(relay.wsUrl);
        expect(pathname).to.equal('/ws');
        const startedAt = performance.now();
        const said = await text(createConnection({ host: '127.0.0.1', port: Number(late) }));
        // a timer may fire a little early
        expect(performance.now() - startedAt).to.be.above(35);
        expect(said).to.equal(Array.from({ length: 20 }, (_, index) => `${index} `).join(''));
      } finally {
        await relay.stop();
        server.close();
      }
    });

    it('counts the CPU of children that ended', async () => {
      const busy = 'while (process.cpuUsage().user < 300_000);';
      const script = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(busy)}]); console.log('done'); setInterval(() => {}, 1_000)`;
      const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        await once(parent.stdout, 'data');
        expect(await new ProcessTree(parent.pid ?? 0).cpuMs()).to.be.at.least(300);
      } finally {
        parent.kill();
      }
    });

    it('says which database it cannot find', async () => {
      expect(await databaseAt('redis://db.example:6379').catch(String)).to.match(/db\.example/);
      expect(await databaseAt('redis://127.0.0.1:1').catch(String)).to.match(/no database listens on port 1/);
      const { pid } = await databaseAt(lab.network.wsUrl);
      expect(pid).to.be.above(0).and.not.equal(process.pid);
    });

    it('says which gateway has no adapter', async () => {
      const failed = comparePeers(lab, ['nobody=/nowhere'], { warmUp: 1, rounds: 1, count: 1 });
      expect(await failed.catch(String)).to.match(/nobody/);
    });

    it('finds the texts of messages in the webhook calls of the other gateways', async () => {
      const own = { key: { id: 'A' }, message: { extendedTextMessage: { text: 'longer' } } };
      const other = { key: { id: 'B' }, message: { conversation: 'short' } };
      const { textsIn: ofBaileysApi } = await baileysApi(PLACE);
      expect(
        ofBaileysApi({ event: 'messages.upsert', data: { type: 'notify', messages: [own, other] } }),
      ).to.deep.equal(['longer', 'short']);
      expect(ofBaileysApi({ event: 'connection.update', data: { connection: 'open' } })).to.deep.equal([]);
      const { textsIn: ofEvolution } = await evolution(PLACE);
      expect(ofEvolution({ event: 'messages.upsert', instance: 'bench', data: other })).to.deep.equal([
        'short',
      ]);
      expect(ofEvolution({ event: 'send.message', instance: 'bench', data: own })).to.deep.equal(['longer']);
      expect(ofEvolution({ event: 'connection.update', data: { state: 'open' } })).to.deep.equal([]);
    });
  });
}
