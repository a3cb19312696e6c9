import { AsyncResource } from 'node:async_hooks';
import { expect } from 'chai';
import { Rig } from './rig.js';

const CONNECTIONS = 4;

/** How many storages the runtime carries to whatever is started here: it writes one property for each. */
function carried(): number {
  return Object.getOwnPropertySymbols(new AsyncResource('test')).length;
}

describe('the asynchronous work of a process', () => {
  let rig: Rig;
  before(async () => {
    rig = await Rig.start();
    await rig.network.addPhone({ number: '+15550000001', name: 'Alice' });
    await rig.network.addPhone({ number: '+15550000002', name: 'Bob' });
  });
  after(() => rig.stop());

  it('carries no more after many connections than after the first', async () => {
    const session = await rig.connected('+15550000001');
    const afterFirst = carried();
    for (let connection = 1; connection < CONNECTIONS; connection += 1) {
      await session.close();
      session.open();
      await session.next('open');
      await session.send('15550000002@s.whatsapp.net', 'hello');
    }
    expect(carried()).to.equal(afterFirst);
  });
});
