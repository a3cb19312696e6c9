import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { DAY_MS } from '../../../../src/domain/clock.js';
import { type GatewayError, isGatewayError } from '../../../../src/domain/errors.js';
import type { OlderMessages } from '../../../../src/gateway/link/link.js';
import { LiveLinks } from '../../../../src/gateway/services/access.js';
import { HistoryRequests } from '../../../../src/gateway/services/history/history-requests.js';
import type { HistoryAnswer } from '../../../../src/gateway/services/sessions/session-context.js';
import { message, roomUpdate } from '../../../contracts/store/harness.js';
import { playedLink } from '../../../support/rig/link.js';
import { Rig } from '../../../support/rig/rig.js';
import { until } from '../../../support/until.js';

const NOW = 1_000 * DAY_MS;
const WAITS = { answerMs: 30_000, pauseMs: 3_000 };
const BOB = '90000000000002';
/** Id of Bob's room while only his number was known. */
const NUMBERED = 'acme-1-15550000002';

describe('HistoryRequests', () => {
  let rig: Rig;
  let requests: HistoryRequests;
  let asked: OlderMessages[];
  let chatRoomId: string;

  beforeEach(async () => {
    rig = await Rig.start({ now: NOW });
    asked = [];
    const link = playedLink({
      requestHistory: async (older) => `R${asked.push(older)}`,
    });
    const { sessions, connect } = rig.sessions(link);
    await connect();
    await sessions.setOrgId('acme', 'org1');
    chatRoomId = `acme-${sessions.find('acme').record.lid}-${BOB}`;
    const { store, clock } = rig;
    requests = new HistoryRequests({
      ...{ sessions, store, clock, waits: WAITS, retentionDays: 30 },
      liveLinks: new LiveLinks(store, clock),
      rooms: { renamedTo: async (id) => (id === NUMBERED ? chatRoomId : undefined) },
    });
  });
  afterEach(() => rig.close());

  const keep = (messageId: string, sentAt: number, messageType = 'chat') =>
    rig.store.history.record(
      'acme',
      roomUpdate({ chatRoomId, remoteJid: `${BOB}@lid` }),
      message(messageId, { chatRoomId, sentAt, messageType }),
    );
  const answer = (about: Partial<HistoryAnswer> = {}) =>
    requests.hear({
      type: 'history',
      clientId: 'acme',
      answer: { requestId: 'R1', messages: 0, hasMore: undefined, ...about },
    });
  const request = (room = chatRoomId) => requests.request('acme', room, 20);
  /** A request that has left. */
  async function running(number = 1, room = chatRoomId): Promise<{ answered: ReturnType<typeof request> }> {
    const answered = request(room);
    answered.catch(() => undefined);
    await until('the request', async () => asked.length === number);
    await setImmediate();
    return { answered };
  }
  const refusal = async (work: Promise<unknown>): Promise<GatewayError> => {
    const error: unknown = await work.catch((why: unknown) => why);
    if (isGatewayError(error)) return error;
    throw new Error('it is not refused');
  };

  it('asks for what is before the oldest message that phones show', async () => {
    await keep('call', NOW - 3_000, 'call');
    await keep('vote', NOW - 2_500, 'vote_update');
    await keep('second', NOW - 1_000);
    await keep('first', NOW - 2_000);
    const { answered } = await running();
    answer({ messages: 7, hasMore: true });
    expect(await answered).to.deep.equal({ messages: 7, more: true });
    expect(asked).to.have.length(1);
    expect(asked[0]).to.deep.include({ chat: `${BOB}@lid`, count: 20 });
    expect(asked[0]?.oldest).to.include({ messageId: 'first', sentAt: NOW - 2_000 });
  });

  it('finds a room by the id that it had before the LID of its person was known', async () => {
    await keep('first', NOW);
    const { answered } = await running(1, NUMBERED);
    answer({ messages: 1 });
    expect(await answered).to.deep.equal({ messages: 1 });
    expect(asked[0]?.chat).to.equal(`${BOB}@lid`);
  });

  it('asks nothing about the rooms of a number that was linked before', async () => {
    const former = `acme-1-${BOB}`;
    await rig.store.history.record(
      'acme',
      roomUpdate({ chatRoomId: former, remoteJid: `${BOB}@lid` }),
      message('theirs', { chatRoomId: former, sentAt: NOW }),
    );
    const refused = await refusal(request(former));
    expect(refused.code).to.equal('invalid_request');
    expect(refused.message).to.contain('is not a room of the number');
    expect(asked).to.deep.equal([]);
  });

  it('waits for the answer to its own request, and says nothing of more if the phone does not', async () => {
    await keep('first', NOW);
    const { answered } = await running();
    answer({ requestId: 'another', messages: 3 });
    rig.clock.advance(WAITS.answerMs - 1);
    answer({ messages: 2 });
    expect(await answered).to.deep.equal({ messages: 2 });
  });

  it('goes on from where an answer ended that brought nothing new, and says when there is nowhere to go on', async () => {
    await keep('first', NOW);
    const asking = async (number: number, about: Partial<HistoryAnswer>) => {
      const { answered } = await running(number);
      answer({ requestId: `R${number}`, hasMore: true, ...about });
      const told = await answered;
      rig.clock.advance(WAITS.pauseMs);
      return { ...told, from: asked[number - 1]?.oldest.messageId };
    };
    const named = (messageId: string) => ({ messageId, fromMe: false, sentAt: NOW });
    expect(await asking(1, { oldest: named('A') })).to.deep.equal({ messages: 0, more: true, from: 'first' });
    expect(await asking(2, { oldest: named('B') })).to.deep.equal({ messages: 0, more: true, from: 'A' });
    expect(await asking(3, { oldest: named('B') })).to.deep.equal({ messages: 0, more: false, from: 'B' });
    expect(await asking(4, {})).to.deep.equal({ messages: 0, more: false, from: 'first' });
    const newer = { ...named('C'), sentAt: NOW + 1_000 };
    expect(await asking(5, { oldest: newer })).to.deep.equal({ messages: 0, more: false, from: 'first' });
    expect(await asking(6, { oldest: named('A') })).to.include({ more: true });
    await keep('older', NOW - 1_000);
    expect(await asking(7, { messages: 1 })).to.deep.equal({ messages: 1, more: true, from: 'older' });
  });

  it('takes one request of a session at a time, and the next one after the pause', async () => {
    await keep('first', NOW);
    const { answered } = await running();
    expect((await refusal(request())).code).to.equal('history_requested');
    answer();
    await answered;
    rig.clock.advance(WAITS.pauseMs - 1_500);
    expect(await refusal(request())).to.include({ code: 'history_requested', retryAfter: 2 });
    rig.clock.advance(1_500);
    const next = await running(2);
    answer({ requestId: 'R2', messages: 1 });
    expect(await next.answered).to.deep.equal({ messages: 1 });
  });

  it('gives up when the phone is silent, or the session leaves this node', async () => {
    await keep('first', NOW);
    const silent = await running();
    rig.clock.advance(WAITS.answerMs);
    expect((await refusal(silent.answered)).code).to.equal('history_phone_silent');
    rig.clock.advance(WAITS.pauseMs);
    const moved = await running(2);
    await requests.finish('acme');
    expect((await refusal(moved.answered)).code).to.equal('send_not_connected');
  });

  it('asks nothing where nothing would be stored, and does not rest after that', async () => {
    expect((await refusal(request())).code).to.equal('room_unknown');
    await keep('call', NOW, 'call');
    expect((await refusal(request())).code).to.equal('message_unknown');
    await keep('old', NOW - 31 * DAY_MS);
    expect((await refusal(request())).reason?.code).to.equal('history_off');
    expect(asked).to.deep.equal([]);
  });
});
