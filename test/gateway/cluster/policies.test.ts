import { expect } from 'chai';
import { systemClock, wait } from '../../../src/domain/clock.js';
import { type ApiAnswer, PASSING_ERRORS } from '../../support/world.js';
import { MONGODB_URL } from '../store/support/mongo.js';
import { ClusterLab } from './support/cluster-lab.js';

const PATIENCE_MS = 180_000;
const LEASE_SECONDS = 8;
const NEW_CHATS = 4;
const GAP_MS = 1_000;
const MESSAGES = 10;
const POLICIES = `
mode: enforce
default: small
policies:
  small: { newChatsPerDay: ${NEW_CHATS}, newChatGap: 1s, messagesPerHour: ${MESSAGES} }
  copies: { sameText: { people: 1, within: 1h } }
sessions: { s1: copies }
`;
const STRANGERS = Array.from({ length: NEW_CHATS + 2 }, (_, index) => ({
  number: `+1555020${String(index).padStart(4, '0')}`,
  name: `Stranger ${index}`,
}));
/** Milliseconds until a client asks again after an answer that names no time, such as during a move. */
const PAUSE_MS = 200;
/** Rules whose refusals last as long as the test. */
const BUDGETS = ['newChatsPerDay', 'messagesPerHour', 'sameText'];
/** A refusal that ends later is final for these tests. */
const LONG_MS = 60_000;

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('a policy while its session moves between three nodes', () => {
    let lab: ClusterLab;
    before(async function () {
      this.timeout(PATIENCE_MS);
      lab = await ClusterLab.start(server, { sessions: 2, leaseSeconds: LEASE_SECONDS, policies: POLICIES });
      for (const person of STRANGERS) await lab.phones.addPhone(person);
      await lab.startAll();
      await lab.connected();
    });
    after(() => lab.stop());

    /** Sends by way of a node, and repeats as the answers say; resolves with the rule of a refusal that lasts, or with `sent`. */
    async function sendBy(
      node: number,
      to: string,
      key: string,
      { session = 0, body = key } = {},
    ): Promise<string> {
      const { clientId } = lab.session(session);
      const { api } = lab.node(node % lab.nodes.length);
      for (;;) {
        const answer: ApiAnswer = await api.post(
          '/send-message',
          { clientId, to, body },
          { 'idempotency-key': key },
        );
        if (answer.status === 200) return 'sent';
        const { policy } = answer.body;
        const { rule = '', allowedAt = '' } = isRefusal(policy) ? policy : {};
        if (!rule) expect(answer.headers.get('x-sn-error')).to.be.oneOf(PASSING_ERRORS);
        const pauseMs = allowedAt ? Date.parse(allowedAt) - Date.now() : PAUSE_MS;
        if (BUDGETS.includes(rule) && pauseMs > LONG_MS) return rule;
        // a network that is asked for restrictions may answer sooner than a refusal says
        await wait(systemClock, Math.min(Math.max(pauseMs, 1), GAP_MS));
      }
    }

    /** Numbers of outcomes by name. */
    const tally = (outcomes: readonly string[]) =>
      Object.fromEntries(
        [...new Set(outcomes)].map((name) => [name, outcomes.filter((one) => one === name).length]),
      );

    it('allows no more sends in any window than on one node', async () => {
      const { clientId, number } = lab.session(0);
      const { epoch } = await lab.lease(clientId);
      const begun = STRANGERS.map((person, index) => sendBy(index, person.number, `first to ${index}`));
      await lab.move(lab.session(0).clientId);
      await lab.move(lab.session(0).clientId);
      expect(tally(await Promise.all(begun))).to.deep.equal({
        sent: NEW_CHATS,
        newChatsPerDay: STRANGERS.length - NEW_CHATS,
      });
      const { body } = await lab.node(0).api.get(`/policy/sends?clientId=${clientId}&days=1`);
      const reached = sendsIn(body).map(({ to }) => to);
      expect(reached).to.have.length(NEW_CHATS);
      const more = Array.from({ length: MESSAGES }, (_, index) =>
        sendBy(index, reached[index % reached.length] ?? '', `again ${index}`),
      );
      await lab.move(lab.session(0).clientId);
      await lab.move(lab.session(0).clientId);
      expect(tally(await Promise.all(more))).to.deep.equal({
        sent: MESSAGES - NEW_CHATS,
        messagesPerHour: NEW_CHATS,
      });

      expect((await lab.phones.stats()).firstContacts[number]).to.equal(NEW_CHATS);
      expect((await lab.lease(clientId)).epoch).to.be.at.least(epoch + 4);
      const { body: past } = await lab.node(1).api.get(`/policy/sends?clientId=${clientId}&days=1`);
      const sends = sendsIn(past);
      expect(sends).to.have.length(MESSAGES);
      const times = sends.flatMap(({ at, standing }) => (standing === 'new' ? Date.parse(at) : []));
      expect(times).to.have.length(NEW_CHATS);
      for (const [index, at] of times.slice(1).entries())
        expect(at - (times[index] ?? 0)).to.be.at.least(GAP_MS);
      const { body: policy } = await lab.node(2).api.get(`/policy?clientId=${clientId}`);
      expect(policy).to.deep.include({
        messages: { lastHour: MESSAGES, lastDay: MESSAGES },
        newChats: { used: NEW_CHATS, limit: NEW_CHATS, left: 0 },
      });
    }).timeout(PATIENCE_MS);

    it('counts the recipients of the same text on the previous node', async () => {
      const [first, second, third] = STRANGERS.map(({ number }) => number);
      const copy = (node: number, to = '') =>
        sendBy(node, to, `copy ${node} to ${to}`, { session: 1, body: 'the same to all' });
      expect(await copy(0, first)).to.equal('sent');
      await lab.move(lab.session(1).clientId);
      expect(await copy(1, second)).to.equal('sameText');
      await lab.move(lab.session(1).clientId);
      expect(await copy(2, third)).to.equal('sameText');
      expect(await copy(2, first)).to.equal('sent');
      const other = { session: 1, body: 'a text of its own' };
      expect(await sendBy(2, third ?? '', 'another', other)).to.equal('sent');
    }).timeout(PATIENCE_MS);
  });
}

function isRefusal(policy: unknown): policy is { rule: string; allowedAt: string } {
  return typeof policy === 'object' && policy !== null && 'rule' in policy && 'allowedAt' in policy;
}

function sendsIn({ sends }: ApiAnswer['body']): { at: string; to: string; standing: string }[] {
  return Array.isArray(sends) ? sends : [];
}
