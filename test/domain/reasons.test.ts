import { expect } from 'chai';
import { CONTRACT } from '../../src/contract/index.js';
import { CALLS } from '../../src/domain/reason-table.js';
import {
  adviceOf,
  ownersTextOf,
  readReason,
  reason,
  reasonFrom,
  textOf,
  writeReason,
} from '../../src/domain/reasons.js';
import { CLOSE_REACTIONS } from '../../src/domain/session.js';
import { everyReason } from '../support/reasons.js';

/** The page of a one-time address can show it. */
const isOfLinking = (code: string) =>
  Object.hasOwn(CLOSE_REACTIONS, code) || code === 'passkey' || code === 'pairing_step_failed';

describe('reasons', () => {
  it('name calls as the contract does', () => {
    const operations = new Map(
      CONTRACT.flatMap((section) => Object.entries(section.operations)).map(([name, { method, path }]) => [
        name,
        [path, `${method} ${path}`],
      ]),
    );
    for (const [name, call] of Object.entries(CALLS)) expect(operations.get(name), name).to.include(call);
  });

  for (const why of everyReason()) {
    const { code, values } = why;
    const named = values.kind ? `${code} (${String(values.kind)})` : code;
    it(`can be stored and read: ${named}`, () => {
      expect(readReason(writeReason(why))).to.deep.equal(why);
      expect(textOf(why)).to.not.match(/[{}]/);
    });
    if (!isOfLinking(code)) continue;
    it(`tell the owner of a number nothing that only an operator can do: ${named}`, () => {
      expect(ownersTextOf(why)).to.not.match(/(?:^|\s)\/[a-z]|switchboard /);
    });
  }

  it('carry the calls that help, with the session', () => {
    expect(adviceOf(reason('replaced', { kind: 'taken' }), 'acme')).to.deep.equal([
      { operation: 'reconnect', arguments: { clientId: 'acme' } },
    ]);
    expect(adviceOf(reason('stream_error', { answer: 'code 503' }), 'acme')).to.deep.equal([]);
    const why = reason('logged_out', { kind: 'removed' });
    expect(adviceOf(reason('session_state', { clientId: 'acme', status: 'logged_out', why }))).to.deep.equal([
      { operation: 'start', arguments: { clientId: 'acme' } },
    ]);
  });

  it('are read from words of the release before', () => {
    const former: [words: string, code: string][] = [
      ['The phone removed this linked device. Call /start to pair again.', 'logged_out'],
      ['No phone scanned the QR code in time. Call /start for new QR codes.', 'qr_expired'],
      ['Another client took over this link. Stop the other client, then call /reconnect.', 'replaced'],
    ];
    for (const [words, code] of former) {
      const read = readReason(words);
      expect(read?.code).to.equal(code);
      expect(read && textOf(read)).to.equal(words);
    }
    const unknown = readReason('A stored value of session acme is damaged. Or call /disconnect.');
    expect(unknown).to.deep.include({ code: 'former_words' });
    expect(unknown && textOf(unknown)).to.equal(
      'A stored value of session acme is damaged. Or call /disconnect.',
    );
    expect(readReason('')).to.equal(undefined);
  });

  it('are refused from outside with a code or a kind that this release does not know, or without a value', () => {
    expect(reasonFrom('moon', {})).to.equal(undefined);
    expect(reasonFrom('logged_out', { kind: 'moon' })).to.equal(undefined);
    expect(reasonFrom('stream_error', {})).to.equal(undefined);
    expect(reasonFrom('stream_error', { answer: 5 })).to.equal(undefined);
    expect(reasonFrom('constructor', {})).to.equal(undefined);
    expect(reasonFrom('logged_out', { kind: 'constructor' })).to.equal(undefined);
  });
});
