import { AsyncResource } from 'node:async_hooks';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isGatewayError } from '../../../src/domain/errors.js';
import { LinkRig, type Session } from './rig.js';

const run = promisify(execFile);

/** A separate process, because test runners handle unhandled rejections themselves. */
const SCRIPT = `
  import { pino } from 'pino';
  import { runAsLink, watchRejections } from './src/gateway/link/baileys/faults.ts';
  const lines = [];
  watchRejections(pino({}, { write: (line) => lines.push(JSON.parse(line)) }));
  const told = [];
  const owner = (name) => ({ owner: { onLibraryFault: (error) => told.push(name + ': ' + error.message) } });
  runAsLink(owner('a'), () => setTimeout(async () => { throw new Error('in a timer') }, 1));
  runAsLink(owner('b'), () => queueMicrotask(async () => { await null; throw new Error('after an await') }));
  setTimeout(() => Promise.reject(new Error('of nobody')), 1);
  setTimeout(() => console.log(JSON.stringify({ told, logged: lines.map((line) => line.err.message) })), 20);
`;

describe('an unhandled rejection', () => {
  it('ends the link that caused it; any other error is logged, and the process continues', async () => {
    const args = ['--no-experimental-require-module', '--import=tsx', '--input-type=module', '-e', SCRIPT];
    const { stdout } = await run(process.execPath, args);
    expect(JSON.parse(stdout)).to.deep.equal({
      told: ['b: after an await', 'a: in a timer'],
      logged: ['of nobody'],
    });
  });
});

const CONNECTIONS = 4;

/** How many storages the runtime carries to whatever is started here: it writes one property for each. */
function carried(): number {
  return Object.getOwnPropertySymbols(new AsyncResource('test')).length;
}

describe('the asynchronous work of a process', () => {
  let rig: LinkRig;
  before(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: '+15550000001', name: 'Alice' });
    await rig.network.addPhone({ number: '+15550000002', name: 'Bob' });
  });
  after(() => rig.stop());

  it('has the same async context after many connections as after the first', async () => {
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

const ALICE = '+15550000001';
const BOB = '+15550000002';

describe('a link whose session another node holds', () => {
  let rig: LinkRig;
  let session: Session;
  before(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
  });
  beforeEach(async () => {
    session = await rig.connected(ALICE);
  });
  after(() => rig.stop());

  async function readByBob(): Promise<(string | undefined)[]> {
    return (await rig.network.messages(BOB)).map(({ text }) => text);
  }

  it('stops sending, and ends', async () => {
    const { jid } = await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await session.send(jid, 'mine');
    session.mayAct = false;
    const failure: unknown = await session.send(jid, 'not mine any more').catch((error: unknown) => error);
    expect(isGatewayError(failure)).to.equal(true);
    await session.next('closed');
    session.mayAct = true;
    session.open();
    await session.next('open');
    await session.send(jid, 'mine again');
    expect(await readByBob()).to.deep.equal(['mine', 'mine again']);
    await session.close();
  });

  it('ends without a closing handshake when it is cut', async () => {
    const { link } = session;
    const seen = session.events.length;
    link?.cut();
    // the next login finds the place free: the network has noticed that the connection is gone
    session.open();
    await session.next('open');
    expect(session.all('closed')).to.deep.equal([]);
    expect(seen).to.be.greaterThan(0);
    await session.close();
  });
});
