import { expect } from 'chai';
import { formatJid, parseJid, parseRecipient, personOf } from '../../src/domain/address.js';
import { newFileId } from '../../src/domain/ids.js';
import { parseProxy, shownProxy } from '../../src/domain/proxy.js';
import { doubling, longestPause, pauseAfter, RateBudget } from '../../src/domain/retry.js';
import { formatRoomId, parseRoomId } from '../../src/domain/room.js';
import {
  CLOSE_REACTIONS,
  isDown,
  isTerminal,
  type SessionInput,
  type SessionStatus,
  transition,
} from '../../src/domain/session.js';
import { isLongerThan, shownUrl } from '../../src/domain/text.js';
import { BACKOFF } from '../../src/gateway/services/sessions/registry.js';
import { RETURNS } from '../../src/gateway/services/sessions/session-context.js';
import { ManualClock } from '../support/manual-clock.js';

describe('characters of a text, as people count them', () => {
  const counts: [text: string, characters: number][] = [
    ['', 0],
    ['abc', 3],
    ['漢字', 2],
    ['e\u0301', 1],
    ['👍', 1],
    ['👍🏽', 1],
    ['👨‍👩‍👧‍👦', 1],
    ['🇩🇪🇫🇷', 2],
    ['1️⃣', 1],
    ['a\r\nb', 3],
    ['é👍🏽é', 3],
  ];
  for (const [text, characters] of counts) {
    it(`are ${characters} in ${JSON.stringify(text)}`, () => {
      expect(isLongerThan(text, characters)).to.equal(false);
      if (characters > 0) expect(isLongerThan(text, characters - 1)).to.equal(true);
    });
  }

  it('are counted in texts of the longest request', () => {
    expect(isLongerThan('👍🏽'.repeat(65_536), 65_536)).to.equal(false);
    expect(isLongerThan('👍🏽'.repeat(65_537), 65_536)).to.equal(true);
    expect(isLongerThan('漢'.repeat(500_000), 65_536)).to.equal(true);
    // marks without a letter do not hide a long text
    expect(isLongerThan(`a${'\u0301'.repeat(1_048_576)}`, 65_536)).to.equal(true);
  });
});

describe('addresses', () => {
  const jids: [string, ReturnType<typeof parseJid>][] = [
    ['15550000001@s.whatsapp.net', { kind: 'pn', user: '15550000001' }],
    ['15550000001:3@s.whatsapp.net', { kind: 'pn', user: '15550000001' }],
    ['15550000001@c.us', { kind: 'pn', user: '15550000001' }],
    ['90000000000001@lid', { kind: 'lid', user: '90000000000001' }],
    ['90000000000001_1:12@lid', { kind: 'lid', user: '90000000000001' }],
    ['15550000001@hosted', { kind: 'pn', user: '15550000001' }],
    ['120363040000000000@g.us', { kind: 'group', user: '120363040000000000' }],
    ['15550000001-1600000000@g.us', { kind: 'group', user: '15550000001-1600000000' }],
    ['status@broadcast', undefined],
    ['123456@broadcast', undefined],
    ['120363040000000000@newsletter', undefined],
    ['15550000001@constructor', undefined],
    ['nonsense', undefined],
    ['@lid', undefined],
    ['', undefined],
  ];
  for (const [jid, address] of jids) {
    it(`reads the jid ${JSON.stringify(jid)} as ${address ? formatJid(address) : 'none'}`, () => {
      expect(parseJid(jid)).to.deep.equal(address);
    });
  }

  const recipients: [string, string | undefined][] = [
    ['90000000000001', '90000000000001@lid'],
    ['+15550000001', '15550000001@s.whatsapp.net'],
    ['+1 (555) 000-0001', '15550000001@s.whatsapp.net'],
    ['+49 30.1234/567', '49301234567@s.whatsapp.net'],
    ['+49 (0) 30 1234567', '49301234567@s.whatsapp.net'],
    ['+44 (0)20 7946-0958', '442079460958@s.whatsapp.net'],
    ['+1\u00a0555\u202f000\u20110001', '15550000001@s.whatsapp.net'],
    ['\u202a+15550000001\u202c', '15550000001@s.whatsapp.net'],
    ['\u2066+1 555 000 0001\u2069', '15550000001@s.whatsapp.net'],
    ['＋１５５５００００００１', '15550000001@s.whatsapp.net'],
    ['+1 − 555 – 000 — 0001', '15550000001@s.whatsapp.net'],
    ['+1.555.000.0001', '15550000001@s.whatsapp.net'],
    ['+55 (11) 98765-4321', '5511987654321@s.whatsapp.net'],
    ['+52 1 55 1234 5678', '5215512345678@s.whatsapp.net'],
    ['+54 9 11 2345-6789', '5491123456789@s.whatsapp.net'],
    ['+91 98765\u200b43210', '919876543210@s.whatsapp.net'],
    ['+00 49 30 1234567', undefined],
    ['\u200e90000000000001', '90000000000001@lid'],
    ['15550000001@c.us', '15550000001@s.whatsapp.net'],
    ['90000000000001:12@lid', '90000000000001@lid'],
    ['++15550000001', undefined],
    ['+1 555 000 0001 ext. 7', undefined],
    ['+(0)15550000001', '15550000001@s.whatsapp.net'],
    ['+1555000000123456', undefined],
    [' +15550000001 ', '15550000001@s.whatsapp.net'],
    ['15550000001@s.whatsapp.net', '15550000001@s.whatsapp.net'],
    ['15550000001:7@s.whatsapp.net', '15550000001@s.whatsapp.net'],
    ['120363040000000000@g.us', '120363040000000000@g.us'],
    ['+0123456789', undefined],
    ['+12', undefined],
    ['bob', undefined],
    ['', undefined],
    ['+1555abc0001', undefined],
    ['status@broadcast', undefined],
  ];
  for (const [to, jid] of recipients) {
    it(`reads the recipient ${JSON.stringify(to)} as ${jid ?? 'none'}`, () => {
      const address = parseRecipient(to);
      expect(address && formatJid(address)).to.equal(jid);
    });
  }

  it('finds both addresses of a person, whichever comes first', () => {
    const person = { lid: '90000000000001', pn: '15550000001' };
    expect(personOf('15550000001:2@s.whatsapp.net', '90000000000001@lid')).to.deep.equal(person);
    expect(personOf('90000000000001@lid', undefined, '15550000001@s.whatsapp.net')).to.deep.equal(person);
    expect(personOf('120363040000000000@g.us', null)).to.deep.equal({});
  });
});

describe('room ids', () => {
  it('are split into the parts that they were built from, even with the hyphen of an old group', () => {
    for (const other of ['90000000000002', '15550000001-1600000000']) {
      const key = { clientId: 'acme', myLid: '90000000000001', other };
      expect(parseRoomId(formatRoomId(key))).to.deep.equal(key);
    }
  });

  it('are refused when a part is missing', () => {
    for (const id of ['', 'acme', 'acme-90000000000001', 'ac me-1-2', '-1-2']) {
      expect(parseRoomId(id), id).to.equal(undefined);
    }
  });
});

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
    ['connected', 'ban', 'banned', ['drop_link', 'resume_after_ban']],
    ['reconnecting', 'open', 'connected', []],
    ['reconnecting', 'start', 'reconnecting', ['connect']],
    ['logged_out', 'start', 'initializing', ['drop_credentials', 'connect']],
    ['replaced', 'start', 'initializing', ['drop_credentials', 'connect']],
    ['banned', 'start', 'initializing', ['drop_credentials', 'connect']],
    ['replaced', 'resume', 'reconnecting', ['connect']],
    ['banned', 'resume', 'reconnecting', ['connect']],
    ['logged_out', 'resume', 'logged_out', []],
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

  it('counts every status as connected, down, terminal or being paired', () => {
    const kinds = STATUSES.map((status) => [status === 'connected', isDown(status), isTerminal(status)]);
    const pairing = STATUSES.filter((_, index) => !kinds[index]?.some(Boolean));
    expect(pairing).to.deep.equal(['initializing', 'qr']);
    for (const kind of kinds) expect(kind.filter(Boolean).length).to.be.at.most(1);
  });
});

describe('the ids of files', () => {
  it('sort in the order of their creation, even within a millisecond and after the clock was set back', () => {
    const now = Date.now();
    const times = [...Array.from({ length: 40 }, () => now), now - 5_000, now + 1, now + 2];
    const ids = times.map((time) => newFileId(time));
    expect([...ids].sort()).to.deep.equal(ids);
    expect(new Set(ids.map((id) => id.slice(15))).size).to.equal(ids.length);
    for (const id of ids)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('a retry policy', () => {
  const middle = () => 0.5;

  it('doubles the pause after each failure, up to the longest', () => {
    const policy = { pausesMs: doubling(1_000, 60_000), endless: true, jitter: 0.25 } as const;
    const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => pauseAfter(policy, failures, middle));
    expect(pauses).to.deep.equal([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(longestPause(policy, middle)).to.equal(60_000);
  });

  it('gives up after the last pause unless it is endless', () => {
    const policy = { pausesMs: [10, 20], endless: false };
    expect([1, 2, 3].map((failures) => pauseAfter(policy, failures))).to.deep.equal([10, 20, undefined]);
  });

  it('spreads connection attempts by a quarter, so that many sessions do not connect at the same moment', () => {
    expect(pauseAfter(BACKOFF, 1, () => 0)).to.equal(750);
    expect(pauseAfter(BACKOFF, 1, () => 1)).to.equal(1_250);
    expect(longestPause(BACKOFF, middle)).to.equal(60_000);
  });

  it('retries a lost link at once eight times, and then at growing intervals', () => {
    const pauses = Array.from({ length: 16 }, (_, index) => pauseAfter(RETURNS, index + 1, middle));
    const slow = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
    expect(pauses).to.deep.equal([...Array(8).fill(100), ...slow]);
  });
});

describe('a rate budget', () => {
  it('allows a burst, then one more per interval, and never more than a burst', () => {
    const clock = new ManualClock();
    const budget = new RateBudget({ burst: 3, everyMs: 1_000 }, clock);
    const takeAll = () => {
      let taken = 0;
      while (budget.take()) taken += 1;
      return taken;
    };
    const rows: [passedMs: number, taken: number][] = [
      [0, 3],
      [0, 0],
      [999, 0],
      [1, 1],
      [2_500, 2],
      [500, 1],
      [3_600_000, 3],
    ];
    for (const [passedMs, taken] of rows) {
      clock.advance(passedMs);
      expect(takeAll(), `after ${passedMs} ms`).to.equal(taken);
    }
  });
});

describe('an address that is shown', () => {
  it('holds neither password nor key', () => {
    expect(shownUrl('https://joe:hunter2@example.org:8443/hook?key=SECRET#part')).to.equal(
      'https://example.org:8443/hook',
    );
  });

  it('is the text itself if that is not an address', () => {
    expect(shownUrl('no address')).to.equal('no address');
  });
});

describe('the URL of a proxy', () => {
  const read: [string, Partial<ReturnType<typeof parseProxy>>][] = [
    [
      'http://proxy.example.com',
      { kind: 'http', host: 'proxy.example.com', port: 80, user: '', password: '' },
    ],
    ['https://proxy.example.com/', { kind: 'https', port: 443 }],
    ['socks5://10.0.0.7', { kind: 'socks5', host: '10.0.0.7', port: 1080 }],
    ['SOCKS5h://[::1]:9', { kind: 'socks5', host: '::1', port: 9 }],
    ['socks5://al%40ice:p%3A%40ss@h:1', { user: 'al@ice', password: 'p:@ss' }],
    ['http://alice@h', { user: 'alice', password: '' }],
  ];
  for (const [url, parts] of read) {
    it(`reads ${url}`, () => expect(parseProxy(url)).to.deep.include(parts));
  }

  const refused: [string, RegExp][] = [
    ['', /scheme/],
    ['s3cret:1080', /scheme/],
    ['socks4://s3cret', /scheme/],
    ['http://', /host/],
    ['socks5://s3cret a', /host/],
    ['socks5://u:s3cret@', /host/],
    ['http://s3cret:0', /port/],
    ['http://s3cret:65536', /port/],
    ['socks5://u:s3cret@h:x', /port/],
    ['http://h/s3cret', /end after the port/],
    ['socks5://h?s3cret', /end after the port/],
    ['http://:s3cret@h', /user/],
    ['http://u:s3cret%@h', /%25/],
    [`socks5://u:s3cret${'x'.repeat(250)}@h`, /255 bytes/],
  ];
  for (const [url, rule] of refused) {
    it(`refuses "${url.slice(0, 40)}" and names the rule, not the URL`, () => {
      expect(() => parseProxy(url))
        .to.throw(rule)
        .with.property('message')
        .that.does.not.include('s3cret');
    });
  }

  it('is shown without user and password', () => {
    expect(shownProxy('http://u:p@h')).to.deep.equal({ kind: 'http', host: 'h', port: 80 });
    expect(shownProxy('')).to.equal(undefined);
  });
});
