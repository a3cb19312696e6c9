import { expect } from 'chai';
import { createTestServer, type TestServer, TOKEN } from '../../gateway/http/support/test-server.js';
import { describeCase, faultOf, textOf } from './answers.js';
import { CANARY, type HttpCase, makeHttpCase } from './http-cases.js';
import { FuzzRun, Prng } from './values.js';

const SECRET = 'per-session-secret-of-the-fuzz';
const SECRETS = [TOKEN, CANARY, SECRET];
const AT_ONCE = 24;
/** A live stream never ends. */
const STREAM = /^\/events($|[/?])/;

/**
 * Random requests to the HTTP layer over a played network, without sockets, so that there can be many of them. A whole
 * daemon gets fewer, from `http.long.test.ts`.
 */
export function injectedSuite(usualCases: number): void {
  describe('the HTTP layer under random requests', function () {
    this.timeout(900_000);
    let run: FuzzRun;
    let over: TestServer;

    before(async () => {
      run = new FuzzRun(usualCases);
      over = await createTestServer();
      await over.server.initialize();
      await over.connect('fuzzed');
      await over.post('/start?clientId=bystander');
      await over.post('/set-api-secret', { clientId: 'bystander', secret: SECRET });
    });
    after(() => over.close());

    /** The case, or the next one that is no stream. */
    const caseAt = (index: number, routes: readonly string[]): HttpCase => {
      const prng = Prng.forCase(run.seed, index);
      for (;;) {
        const request = makeHttpCase(prng, {
          routes,
          token: TOKEN,
          linked: 'fuzzed',
          secret: SECRET,
          number: '+15550000002',
          receiverUrl: 'http://127.0.0.1:9',
        });
        if (!STREAM.test(request.path)) return request;
      }
    };

    it('gives only documented answers', async () => {
      run.announce('HTTP layer');
      const { body } = await over.get('/config');
      const routes = Array.isArray(body.routes) ? body.routes.map(String) : [];
      const statuses = new Set<number>();
      let next = 0;
      const ask = async () => {
        while (next < run.cases) {
          const index = next++;
          const { method, path: url, headers, body: payload } = caseAt(index, routes);
          // elsewhere wrong tokens would slow the others down
          const remoteAddress = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
          const response = await over.server.inject({ method, url, headers, payload, remoteAddress });
          const answer = {
            status: response.statusCode,
            contentType: String(response.headers['content-type'] ?? ''),
            text: textOf(response.rawPayload, response.headers['content-encoding']),
          };
          const request = { method, path: url, headers, body: payload };
          const fault = faultOf(request, answer, SECRETS);
          if (fault)
            throw new Error(
              `${fault}: ${describeCase(index, request)} → ${answer.status} ${answer.text.slice(0, 500)}`,
            );
          statuses.add(answer.status);
          over.lines.length = 0;
        }
      };
      // the requests of a secret are spread over time
      const passing = setInterval(() => over.clock.advance(1_000), 1);
      try {
        await Promise.all(Array.from({ length: AT_ONCE }, ask));
      } finally {
        clearInterval(passing);
      }
      expect([...statuses]).to.include.members([200, 400, 401, 403, 404, 413, 415]);
    });
  });
}
