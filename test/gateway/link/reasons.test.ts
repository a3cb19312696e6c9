import { Boom } from '@hapi/boom';
import { expect } from 'chai';
import { textOf } from '../../../src/domain/reasons.js';
import { CLOSE_REACTIONS, type CloseReason } from '../../../src/domain/session.js';
import { verdictOn } from '../../../src/gateway/link/baileys/reasons.js';

const ROWS: [code: number | undefined, message: string, reason: CloseReason][] = [
  [440, 'Stream Errored (conflict)', 'replaced'],
  [401, 'Stream Errored (conflict)', 'logged_out'],
  [401, 'Connection Failure', 'logged_out'],
  [515, 'Stream Errored (restart required)', 'restart_required'],
  [503, 'Stream Errored (unknown)', 'service_unavailable'],
  [500, 'Stream Errored (ack)', 'stream_error'],
  [500, 'Connection Failure', 'stream_error'],
  [516, 'Stream Errored (unknown)', 'stream_error'],
  [428, 'Connection Terminated', 'connection_closed'],
  [408, 'Connection was lost', 'connection_lost'],
  [402, 'Connection Failure', 'account_restricted'],
  [403, 'Connection Failure', 'account_locked'],
  [405, 'Connection Failure', 'client_outdated'],
  [406, 'Connection Failure', 'banned'],
  [409, 'Connection Failure', 'client_outdated'],
  [415, 'Connection Failure', 'stream_error'],
  [411, 'Multi-device beta not joined', 'device_mismatch'],
  [408, 'WebSocket Error (connect ECONNREFUSED 127.0.0.1:1)', 'network_unreachable'],
  [500, 'WebSocket Error (getaddrinfo ENOTFOUND web.whatsapp.com)', 'network_unreachable'],
  [408, 'WebSocket Error (Opening handshake has timed out)', 'connect_timeout'],
  [408, 'Timed Out', 'connect_timeout'],
  [408, 'QR refs attempts ended', 'qr_expired'],
  [undefined, 'Unsupported state or unable to authenticate data', 'stream_error'],
];

describe('verdictOn', () => {
  for (const [code, message, reason] of ROWS) {
    it(`maps ${code ?? 'no code'}, "${message}" to ${reason}`, () => {
      const error = code === undefined ? new Error(message) : new Boom(message, { statusCode: code });
      const verdict = verdictOn(error, true);
      expect(verdict.reason.code).to.equal(reason);
      expect(textOf(verdict.reason)).to.match(/\.$/);
      expect(CLOSE_REACTIONS).to.have.property(verdict.reason.code);
    });
  }

  it('maps a refusal before the number is linked to an unfinished pairing, not a logout', () => {
    const error = new Boom('Connection Failure', { statusCode: 401 });
    expect(verdictOn(error, false).reason.code).to.equal('pairing_unfinished');
  });

  it('maps a conflict by its type: a removed device is logged out, whatever the code', () => {
    const removed = { tag: 'conflict', attrs: { type: 'device_removed' } };
    const error = new Boom('Stream Errored (conflict)', { statusCode: 440, data: removed });
    expect(verdictOn(error, true).reason.code).to.equal('logged_out');
  });

  it('reads the end of a temporary ban', () => {
    const data = { reason: '402', code: '101', expire: '3600' };
    const error = new Boom('Connection Failure', { statusCode: 402, data });
    const { reason, retryAfterMs } = verdictOn(error, true);
    expect([reason.code, retryAfterMs]).to.deep.equal(['account_restricted', 3_600_000]);
  });

  it('returns a reason for an end without an error', () => {
    expect(verdictOn(undefined, true).reason.code).to.equal('stream_error');
  });
});
