import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { LIMITS } from '../../../src/domain/limits.js';
import { sendableKinds } from '../../../src/kinds/index.js';
import type { KindSend } from '../../../src/kinds/kind.js';
import type { Admission } from '../../../src/services/messages/admission.js';
import { Rig } from '../../support/rig/rig.js';
import type { Sending } from '../../support/rig/sending.js';
import { until } from '../../support/until.js';

const BOB_LID = '90000000000002@lid';
const HOUR_MS = 60 * 60_000;

function textKind(): KindSend {
  const found = sendableKinds().find(({ path }) => path === '/send-message');
  if (found) return found;
  throw new Error('there is no /send-message');
}

// the rules, the network's answers and the hours between them are played by hand
describe('Sender: a held message', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const send = (body: string, { to = BOB_LID, key = '' } = {}) => {
    const request = { clientId: 'acme', to, body, whenAllowed: true };
    return rig.sender.send(textKind(), request, key || undefined);
  };
  const refusal = () => {
    const allowedAt = new Date(rig.clock.now() + HOUR_MS).toISOString();
    const policy = { rule: 'newChatGap', reason: 'too soon', allowedAt } as const;
    return new GatewayError('policy_refused', 'nothing was sent', { policy });
  };
  /** Its policy refuses a message, and from then on no other one. @returns its id */
  const hold = async (body: string, wishes: { to?: string; key?: string } = {}) => {
    rig.onAdmit = () => Promise.reject(refusal());
    const { status, messageId } = await send(body, wishes);
    expect(status).to.equal('held');
    rig.onAdmit = async () => undefined;
    return messageId;
  };
  const record = (messageId: string) => rig.store.sends.get('acme', messageId);
  const waiting = async () => (await rig.sender.held.list('acme')).map(({ messageId }) => messageId);
  /** Resolves when so many copies have left, and the next attempt has its time. */
  const copies = (count: number) =>
    until(`${count} copies`, async () => rig.sent.length === count && rig.clock.pending().length > 0);
  /** As after a restart: what was in memory is gone. */
  const restart = async () => {
    rig.sender.held.forget('acme');
    await rig.sender.connected('acme');
  };
  const unacknowledged = async () => {
    throw new GatewayError('send_unacknowledged', 'no answer came');
  };
  /** A policy that permits everything. */
  const permits = async (): Promise<Admission> => ({
    leave: (write) => write({ counted: 'message', sentAt: rig.clock.now() }),
    leaveAgain: async () => undefined,
    rejected: () => undefined,
    end: () => undefined,
  });

  it('is not sent again when its first copy is older than a send may be repeated, however often it was repeated', async () => {
    const messageId = await hold('hello');
    rig.onAdmit = permits;
    rig.onLeft = unacknowledged;
    const firstAt = rig.clock.now();
    await rig.sender.connected('acme');
    await copies(1);
    rig.clock.advance(LIMITS.resendMaxAgeMs);
    await copies(2);
    expect((await record(messageId))?.sentAt).to.equal(firstAt + LIMITS.resendMaxAgeMs);
    rig.clock.advance(1);
    await restart();
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(rig.sent).to.have.length(2);
    expect(rig.statuses).to.deep.equal([`${messageId} failed send_unacknowledged`]);
    expect(await record(messageId))
      .to.include({ closed: true, acknowledged: false })
      .and.not.have.property('held');
  });
});
