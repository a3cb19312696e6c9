import { expect } from 'chai';
import type { ObjectSchema } from 'joi';
import { CONTRACT } from '../../src/contract/index.js';
import { storeUnavailable } from '../../src/domain/errors.js';
import { breakStore } from '../support/store-place.js';
import { BOB, linkSession, startWorld, TOKEN, type World } from '../support/world.js';

const SECRET = 'the-secret-of-acme-0123456789';
/** Milliseconds after which what a stream has sent so far is looked at. */
const STREAM_MS = 20_000;
/** Names of servers, files and engines. */
const INSIDE = /127\.0\.0\.1|localhost|mongo|sqlite|switchboard\.db|connection|ECONN|database is locked/i;
/** Values that most requests take. */
const VALUES: Readonly<Record<string, string>> = {
  clientId: 'acme',
  to: BOB.number,
  body: 'text',
  messageId: '3EB0A9253D5F6C2B1E7A90',
  chatRoomId: 'acme-1-2',
  from: '1970-01-01T00:00:00Z',
  webhookUrl: 'https://example.com/hook',
  url: 'https://example.com/hook',
  name: 'name',
};
/** Operations that end the session or the daemon's part in it. */
const ENDING = new Set(['/disconnect', '/export', '/logout']);

describe('a daemon whose store is away', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ breakableStore: true });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
    const set = await world.api.post('/set-api-secret', { clientId: 'acme', secret: SECRET });
    expect(set.status, JSON.stringify(set.body)).to.equal(200);
  });
  after(() => world.stop());

  const answersTo = async (token: string) => {
    const operations = CONTRACT.flatMap((section) => Object.values(section.operations));
    const asked = operations
      .filter(({ path }) => !ENDING.has(path))
      .map(async ({ method, path, query, body: schema }) => {
        const url = `${world.api.url}${path.replace(/\{.*?\}/g, VALUES.messageId ?? '')}?${new URLSearchParams(taken(query))}`;
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const body = method === 'GET' ? null : JSON.stringify(taken(schema));
        const response = await fetch(url, { method, headers, body, signal: AbortSignal.timeout(STREAM_MS) });
        return {
          path,
          status: response.status,
          text: await textOf(response),
          code: response.headers.get('x-sn-error'),
        };
      });
    return Promise.all(asked);
  };

  for (const [who, token] of [
    ['the secret of a session', SECRET],
    ['the token of the daemon', TOKEN],
  ] as const) {
    it(`reveals neither server nor file to ${who}, on any route`, async () => {
      const restore = breakStore(world);
      const answers = await answersTo(token).finally(restore);
      const refused = answers.filter(({ code }) => code === 'store_unavailable');
      expect(refused.length).to.be.at.least(3);
      for (const { text } of refused) {
        expect(JSON.parse(text)).to.deep.equal({ error: storeUnavailable(undefined).message });
      }
      const failed = answers.filter(({ status }) => status >= 500);
      expect(failed.filter(({ text }) => INSIDE.test(text))).to.deep.equal([]);
    });
  }
});

/** The values that a request takes. */
function taken(schema: ObjectSchema | undefined): Record<string, string> {
  const keys: unknown = schema?.describe().keys;
  const names = typeof keys === 'object' && keys !== null ? Object.keys(keys) : [];
  return Object.fromEntries(
    names.flatMap((name) => (VALUES[name] === undefined ? [] : [[name, VALUES[name]]])),
  );
}

/** The text of an answer; of a stream, what came in time. */
async function textOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
  }
  return text;
}
