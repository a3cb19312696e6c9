import { expect } from 'chai';
import {
  CLOSE_REACTIONS,
  isDown,
  isTerminal,
  type SessionInput,
  type SessionStatus,
  transition,
} from '../../src/domain/session.js';

const STATUSES: SessionStatus[] = [
  'initializing',
  'qr',
  'connected',
  'reconnecting',
  'logged_out',
  'replaced',
  'banned',
];
const INPUTS: SessionInput[] = ['start', 'qr', 'paired', 'open', ...new Set(Object.values(CLOSE_REACTIONS))];

describe("the session's transition table", () => {
  const rows: [SessionStatus, SessionInput, SessionStatus, string[]][] = [
    ['initializing', 'start', 'initializing', ['connect']],
    ['initializing', 'qr', 'qr', []],
    ['qr', 'paired', 'initializing', []],
    ['qr', 'start', 'qr', []],
    ['initializing', 'reconnect_now', 'initializing', ['connect_again']],
    ['initializing', 'open', 'connected', []],
    ['qr', 'park', 'initializing', ['drop_link', 'drop_credentials']],
    ['qr', 'reset', 'initializing', ['drop_link', 'drop_credentials']],
    ['qr', 'reconnect', 'initializing', ['connect_after_backoff']],
    ['connected', 'start', 'connected', []],
    ['connected', 'reconnect', 'reconnecting', ['connect_after_backoff']],
    ['connected', 'reconnect_late', 'reconnecting', ['connect_after_longest_backoff']],
    ['connected', 'renew', 'reconnecting', ['connect_again']],
    ['reconnecting', 'renew', 'reconnecting', ['connect_again']],
    ['connected', 'replace', 'replaced', ['drop_link']],
    ['connected', 'log_out', 'logged_out', ['drop_link']],
    ['connected', 'ban', 'banned', ['drop_link']],
    ['reconnecting', 'open', 'connected', []],
    ['reconnecting', 'start', 'reconnecting', ['connect']],
    ['logged_out', 'start', 'initializing', ['drop_credentials', 'connect']],
    ['replaced', 'start', 'initializing', ['drop_credentials', 'connect']],
    ['banned', 'start', 'initializing', ['drop_credentials', 'connect']],
  ];
  for (const [status, input, next, effects] of rows) {
    it(`goes from ${status} by ${input} to ${next}${effects.length ? ` and does ${effects.join(', ')}` : ''}`, () => {
      expect(transition(status, input)).to.deep.equal({ status: next, effects });
    });
  }

  it('keeps a terminal session as it is, whatever its old link still says', () => {
    for (const status of STATUSES.filter(isTerminal)) {
      for (const input of INPUTS.filter((candidate) => candidate !== 'start')) {
        expect(transition(status, input), `${status} ${input}`).to.deep.equal({ status, effects: [] });
      }
    }
  });

  it('never lets a linked number show a QR code by itself', () => {
    for (const status of ['connected', 'reconnecting'] as const) {
      for (const input of INPUTS) expect(transition(status, input).status, input).not.to.equal('qr');
    }
  });

  it('counts every status as connected, down or terminal', () => {
    const kinds = STATUSES.map((status) => [status === 'connected', isDown(status), isTerminal(status)]);
    for (const kind of kinds) expect(kind.filter(Boolean)).to.have.length(1);
  });
});
