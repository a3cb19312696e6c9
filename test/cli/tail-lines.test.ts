import { expect } from 'chai';
import { painter } from '../../src/cli/paint.js';
import { forwardLine, tailLine } from '../../src/cli/tail-lines.js';
import type { TailEntry } from '../../src/delivery/tail.js';
import { AT, attempt, statusEvent, textEvent } from './support/entries.js';

describe('a line of the tail', () => {
  const paint = painter({}, {});
  /** Without the local time. */
  const line = (entry: TailEntry) => tailLine(entry, paint).slice('00:00:00 '.length);

  it('shows what came in', () => {
    expect(line(textEvent())).to.equal('acme ← text Bob: hello 3EB0AAAA');
  });

  it('shows what the linked number did', () => {
    expect(line(textEvent({ fromMe: true, event: 'message.sent' }))).to.equal(
      'acme → text Bob: hello 3EB0AAAA',
    );
  });

  it('names the author in a group', () => {
    const event = { isGroup: true, remoteName: 'Team', pushName: 'Bob' };
    expect(line(textEvent(event))).to.equal('acme ← text Team Bob: hello 3EB0AAAA');
  });

  it('takes the phone, then the jid, for a person without a name', () => {
    expect(line(textEvent({ remoteName: '' }))).to.contain(' 15550000002: ');
    expect(line(textEvent({ remoteName: '', remotePhone: '' }))).to.contain(' 200@lid: ');
  });

  it('cannot be forged by a message', () => {
    const body = 'x\n12:00:00 acme ✓ webhook delivered\u001b[2K';
    expect(line(textEvent({ body }))).not.to.match(/\p{Cc}/u);
    expect(line(textEvent({ messageId: body }))).not.to.match(/\p{Cc}/u);
  });

  it('shows a delivery without what is secret in its address', () => {
    expect(line(attempt())).to.equal(
      'acme   ✓ webhook delivered 200 text (attempt 1, 12 ms, https://example.com/hook)',
    );
  });

  it('shows why a delivery failed', () => {
    const failed = attempt({ outcome: 'failed', status: 0, reason: 'no answer within 15 s', attempt: 2 });
    expect(line(failed)).to.contain('! webhook failed text no answer within 15 s (attempt 2');
  });

  it('shows a drop with its reason', () => {
    const dropped: TailEntry = {
      kind: 'dropped',
      at: AT,
      clientId: 'acme',
      deliveryId: '01A',
      type: 'text',
      reason: 'four attempts failed',
    };
    expect(line(dropped)).to.equal('acme ✗ dropped text four attempts failed 01A');
  });

  it("shows a session's change with its reason", () => {
    expect(line(statusEvent('logged_out', 'connected', 'unlinked on the phone'))).to.equal(
      'acme ● connected → logged_out: unlinked on the phone',
    );
  });

  it('shows an entry of a kind that it does not know as it is', () => {
    expect(line(JSON.parse('{"kind":"novelty","at":"2026-01-02T03:04:05Z"}'))).to.contain('"kind":"novelty"');
  });

  it('shows what became of an event that was handed on', () => {
    const report = { kind: 'forward', at: AT, clientId: 'acme', type: 'text', messageId: '3EB0' } as const;
    const url = 'http://localhost:4000/hook';
    const forwarded = {
      ...report,
      outcome: 'delivered',
      status: 204,
      reason: '',
      url,
      durationMs: 7,
    } as const;
    const rest = (shown: string) => shown.slice('00:00:00 '.length);
    expect(rest(forwardLine(forwarded, paint))).to.equal(
      'acme   ✓ forwarded 204 text (7 ms, http://localhost:4000/hook)',
    );
    const failed = { ...forwarded, outcome: 'failed', status: 500, reason: 'answered 500' } as const;
    expect(rest(forwardLine(failed, paint))).to.equal(
      'acme   ✗ not forwarded text answered 500 (7 ms, http://localhost:4000/hook)',
    );
  });

  it('survives a time that is none', () => {
    expect(tailLine({ ...textEvent(), at: 'soon' }, paint)).to.match(/^--:--:-- acme/);
  });
});
