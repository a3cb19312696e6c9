import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { inCommands } from '../../src/cli/words.js';

const SOURCES = fileURLToPath(new URL('../../src/services', import.meta.url));

describe('messages of the daemon in the terminal', () => {
  const cases: [string, string][] = [
    ['unknown clientId acme; call /start first', 'there is no session acme'],
    [
      'a valid token is required: Authorization: Bearer <token>, or X-V3-Secret: <token>',
      'a valid token is required',
    ],
    ['call /start, then /pair-phone again', 'run `switchboard pair`, then `switchboard pair --phone` again'],
    ['Call /start for new QR codes.', 'Run `switchboard pair` for new QR codes.'],
    [
      'check the proxy, or set another one with /set-proxy.',
      'check the proxy, or set another one with `switchboard sessions proxy`.',
    ],
    [
      'session acme has no webhookUrl; set it with /set-webhook',
      'session acme has no webhook; set it with `switchboard sessions webhook`',
    ],
    [
      'mentions[0] with value "zz" fails to match the LID or phone digits pattern',
      'the mention zz is neither a LID nor a phone number',
    ],
    [
      'messageId: 3EB01 has no text; only texts and the captions of pictures can be edited',
      'message 3EB01 has no text; only texts and the captions of pictures can be edited',
    ],
    ['see https://example.com/start and /var/start', 'see https://example.com/start and /var/start'],
  ];
  for (const [api, ours] of cases) it(`says "${ours}"`, () => expect(inCommands(api)).to.equal(ours));

  it('names no route in any advice that the services give', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const advice = files.flatMap((name) => {
      const source = readFileSync(join(SOURCES, name), 'utf8').replace(/^\s*(\*|\/\/|\/\*\*).*$/gm, '');
      return [...source.matchAll(/['"`]([^'"`\n]*\b(?:[Cc]all|with|in|then) \/[a-z][^'"`\n]*)['"`]/g)].map(
        ([, text = '']) => text,
      );
    });
    expect(advice.length).to.be.greaterThan(10);
    for (const text of advice) expect(inCommands(text), text).to.not.match(/(^|\s)\/[a-z]/);
  });
});
