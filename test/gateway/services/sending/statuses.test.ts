import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../../../src/domain/errors.js';
import { Rig } from '../../../support/rig/rig.js';
import type { Sending } from '../../../support/rig/sending.js';

const BOB = { lid: '90000000000002', pn: '15550000002' };
const CAROL = { lid: '90000000000003', pn: '15550000003' };
const CAROL_LID = `${CAROL.lid}@lid`;
const MANY = 21;

describe('Statuses: who gets them', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
    await rig.contacts.learn('acme', { ...CAROL, name: 'Carol', source: 'address-book' });
  });
  afterEach(() => rig.close());

  const learn = (person: { lid?: string; pn?: string; name?: string }) =>
    rig.contacts.learn('acme', { ...person, source: 'address-book' });
  async function post(audience?: string[]): Promise<readonly string[] | undefined> {
    await rig.posts.postText({ clientId: 'acme', caption: '', body: 'Hello', audience });
    return rig.sent.at(-1)?.audience?.people;
  }
  async function codeOf(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return isGatewayError(error) ? error.code : `no error but ${String(error)}`;
  }

  it('leaves an excluded person out whose LID and number the store knows apart', async () => {
    await learn({ lid: BOB.lid });
    await rig.store.contacts.learn('acme', { pn: BOB.pn, name: 'Bob', source: 'address-book', learntAt: 1 });
    rig.privacy = { mode: 'except', people: [BOB] };
    expect(await post()).to.deep.equal([CAROL_LID]);
  });

  it('leaves an excluded person out by either address', async () => {
    await learn({ ...BOB, name: 'Bob' });
    for (const person of [{ lid: BOB.lid }, { pn: BOB.pn }, BOB]) {
      rig.privacy = { mode: 'except', people: [person] };
      expect(await post()).to.deep.equal([CAROL_LID]);
    }
  });

  it('leaves a contact out who cannot be told from an excluded person', async () => {
    await learn({ pn: BOB.pn, name: 'Bob' });
    rig.privacy = { mode: 'except', people: [{ lid: BOB.lid }] };
    expect(await post()).to.deep.equal([CAROL_LID]);
    rig.privacy = { mode: 'except', people: [CAROL] };
    expect(await post()).to.deep.equal([`${BOB.pn}@s.whatsapp.net`]);
  });

  it('leaves the people on the deny list of the policy out, under every setting', async () => {
    await learn({ ...BOB, name: 'Bob' });
    rig.denied = [`${BOB.pn}@s.whatsapp.net`];
    expect(await post()).to.deep.equal([CAROL_LID]);
    rig.privacy = { mode: 'only', people: [{ lid: BOB.lid }, CAROL] };
    expect(await post()).to.deep.equal([CAROL_LID]);
    expect(await codeOf(post([BOB.lid]))).to.equal('audience_empty');
    rig.denied = [...rig.denied, CAROL_LID];
    expect(await codeOf(post())).to.equal('audience_empty');
  });

  it('leaves the people whom the number blocks out, under every setting', async () => {
    await learn({ ...BOB, name: 'Bob' });
    rig.blocked = async () => [{ lid: BOB.lid }];
    expect(await post()).to.deep.equal([CAROL_LID]);
    rig.privacy = { mode: 'only', people: [BOB, CAROL] };
    expect(await post()).to.deep.equal([CAROL_LID]);
    expect(await codeOf(post([BOB.lid]))).to.equal('audience_empty');
  });

  it('sends nothing if the network does not give the block list', async () => {
    rig.blocked = () => Promise.reject(new GatewayError('lookup_failed', 'no answer'));
    expect(await codeOf(post())).to.equal('lookup_failed');
    expect(rig.sent).to.deep.equal([]);
  });

  it('narrows them to stored people without a look-up at the network', async () => {
    await learn({ ...BOB, name: 'Bob' });
    expect(await post(['+15550000009', `+${CAROL.pn}`, '90000000000009'])).to.deep.equal([CAROL_LID]);
    expect(await codeOf(post(['+15550000009']))).to.equal('audience_empty');
    expect(await codeOf(post(['nobody']))).to.equal('recipient_unknown');
    expect(rig.lookedUp).to.deep.equal([]);
  });

  it('looks up only a few unknown people to set who may see them', async () => {
    const unknown = Array.from({ length: MANY }, (_, n) => `+1556000${1_000 + n}`);
    const set = (people: string[]) => rig.posts.setPrivacy({ clientId: 'acme', mode: 'only', people });
    expect(await codeOf(set([CAROL.lid, ...unknown]))).to.equal('invalid_request');
    expect(rig.lookedUp).to.deep.equal([]);
    // each person once, by whatever address
    await set([`+${CAROL.pn}`, CAROL.lid, ...unknown.slice(1)]);
    expect(rig.lookedUp).to.have.length(MANY - 1);
    const [[name, setting] = []] = rig.asked;
    expect(name).to.equal('account.setStatusPrivacy');
    expect(setting).to.have.nested.property('people[0].lid', CAROL.lid);
    expect(setting).to.have.property('people').with.length(MANY);
  });
});
