import { expect } from 'chai';
import { compiledProject } from '../../support/compiled.js';
import { comparePeers } from '../peers.js';
import { Lab } from '../support/lab.js';
import { peer as baileysApi } from './baileys-api.js';
import { peer as evolution } from './evolution.js';
import type { PeerPlace } from './peer.js';

const PLACE: PeerPlace = {
  folder: '/nowhere',
  dataDir: '/nowhere',
  port: 1,
  webhookUrl: 'http://127.0.0.1:1/',
  network: { wsUrl: 'ws://127.0.0.1:1/', rootKey: '' },
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
