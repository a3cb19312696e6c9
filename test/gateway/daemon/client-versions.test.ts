import { createServer, type Server } from 'node:http';
import { expect } from 'chai';
import { Agent } from 'undici';
import { type Reason, textOf } from '../../../src/domain/reasons.js';
import { ClientVersions } from '../../../src/gateway/daemon/client-versions.js';
import { ManualClock } from '../../support/manual-clock.js';
import { Rig } from '../../support/rig/rig.js';

const LIBRARY = [2, 3000, 100] as const;
const TEN_MINUTES_MS = 600_000;

describe('the client version of all links', () => {
  let rig: Rig;
  let server: Server;
  let page: string;
  let text: string;
  let asked: number;
  let clock: ManualClock;

  beforeEach(async () => {
    rig = await Rig.start();
    clock = new ManualClock();
    asked = 0;
    text = 'self.x = {"client_revision":200}';
    server = createServer((_request, response) => {
      asked += 1;
      response.end(text);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    page = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/sw.js`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await rig.close();
  });

  const versions = (parts: { setting?: string; page?: string | undefined } = {}) =>
    new ClientVersions({
      setting: 'auto',
      library: LIBRARY,
      page,
      dispatcherOver: async () => new Agent(),
      store: rig.store.versions,
      clock,
      log: rig.log,
      ...parts,
    });

  it("the client version equals the library's version at first, and the looked-up version after a refusal", async () => {
    const node = versions();
    await node.load();
    expect(node.current()).to.deep.equal({ version: LIBRARY, source: 'library' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => node.outdated(LIBRARY, '')));
    expect(answers.every((answer) => answer === 'newer')).to.equal(true);
    expect(asked).to.equal(1);
    expect(node.current()).to.deep.equal({ version: [2, 3000, 200], source: 'lookup' });
  });

  it('reads the revision inside a JSON text too', async () => {
    text = String.raw`importScripts("{\"client_revision\":300,\"x\":1}")`;
    const node = versions();
    expect(await node.outdated(LIBRARY, '')).to.equal('newer');
    expect(node.current().version).to.deep.equal([2, 3000, 300]);
  });

  it('the client version is shared by the nodes of a store, so that one look-up serves all', async () => {
    const nodes = [versions(), versions()];
    for (const node of nodes) expect(await node.outdated(LIBRARY, '')).to.equal('newer');
    expect(asked).to.equal(1);
    expect(nodes[1]?.current().source).to.equal('stored');
    const later = versions();
    await later.load();
    expect(later.current()).to.deep.equal({ version: [2, 3000, 200], source: 'stored' });
  });

  it('the client version is looked up at most once in ten minutes, and the reason of a failure is kept', async () => {
    text = '{"client_revision":100}';
    const node = versions();
    const first = await node.outdated(LIBRARY, '');
    expect(wordsOf(first)).to.match(/named 2\.3000\.100, which is not newer\..* upgrade Switchboard\.$/);
    expect(await node.outdated(LIBRARY, '')).to.deep.equal(first);
    expect(asked).to.equal(1);
    clock.advance(TEN_MINUTES_MS);
    text = '{"client_revision":400}';
    expect(await node.outdated(LIBRARY, '')).to.equal('newer');
    expect(asked).to.equal(2);
  });

  it('reports why the look-up failed', async () => {
    text = 'nothing of the kind';
    expect(wordsOf(await versions().outdated(LIBRARY, ''))).to.match(
      /could not be looked up \(.* names no revision\)/,
    );
    expect(wordsOf(await versions({ page: undefined }).outdated(LIBRARY, ''))).to.match(/has no page/);
  });

  it('the client version comes from the setting where that names one, without a look-up', async () => {
    const node = versions({ setting: '2.3000.50' });
    await rig.store.versions.put('2.3000.500');
    await node.load();
    expect(node.current()).to.deep.equal({ version: [2, 3000, 50], source: 'setting' });
    expect(wordsOf(await node.outdated([2, 3000, 50], ''))).to.match(/ The setting --wa-version names it/);
    expect(asked).to.equal(0);
  });
});

const wordsOf = (answer: 'newer' | Reason) => (answer === 'newer' ? answer : textOf(answer));
