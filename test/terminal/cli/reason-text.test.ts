import { expect } from 'chai';
import { type Reason, reason, textOf } from '../../../src/domain/reasons.js';
import { inTerminal, reasonText } from '../../../src/terminal/cli/reason-text.js';

describe('reasonText', () => {
  const cases: [api: string, terminal: string, why: Reason, clientId?: string][] = [
    [
      'unknown clientId acme; call /start first',
      'there is no session acme',
      reason('session_unknown', { clientId: 'acme' }),
    ],
    [
      'call /start, then /pair-phone again',
      'run `switchboard pair`, then `switchboard pair --phone` again',
      reason('pair_with_phone'),
    ],
    [
      'No phone scanned the QR code in time. Call /start for new QR codes.',
      'No phone scanned the QR code in time. Run `switchboard pair acme` for new QR codes.',
      reason('qr_expired'),
      'acme',
    ],
    [
      'session acme has no webhookUrl; set it with /set-webhook',
      'session acme has no webhook; set it with `switchboard sessions webhook acme`',
      reason('webhook_missing', { clientId: 'acme' }),
      'acme',
    ],
    [
      'acme is banned: The network has banned this account. Look at the phone: only the network can lift a ban. Once it has, call /reconnect.',
      'acme is banned: The network has banned this account. Look at the phone: only the network can lift a ban. Once it has, run `switchboard sessions reconnect acme`.',
      reason('session_suspended', { clientId: 'acme', status: 'banned', why: reason('banned') }),
      'acme',
    ],
    [
      'messageId: 3EB01 has not left: its policy holds it back (GET /outbox)',
      'messageId: 3EB01 has not left: its policy holds it back (`switchboard outbox list`)',
      reason('message_waits', { kind: 'named', messageId: '3EB01' }),
    ],
  ];
  for (const [api, terminal, why, clientId] of cases) {
    it(`says "${terminal}" where the API says "${api}"`, () => {
      expect(textOf(why)).to.equal(api);
      expect(inTerminal(why, clientId)).to.equal(terminal);
    });
  }

  it("says the daemon's own words for a code of a later release, and for values that it cannot read", () => {
    const given = { reason: 'The moon is in the way.', reasonCode: 'moon', reasonValues: {} };
    expect(reasonText(given)).to.equal('The moon is in the way.');
    expect(reasonText({ ...given, reasonCode: 'stream_error' })).to.equal('The moon is in the way.');
    expect(reasonText({ reason: 'Words alone.' })).to.equal('Words alone.');
  });
});
