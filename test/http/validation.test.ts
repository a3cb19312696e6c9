import { expect } from 'chai';
import { ROUTES } from './support/route-cases.js';
import { createTestServer, type TestServer } from './support/test-server.js';

describe('request bodies', () => {
  async function startServer(): Promise<TestServer> {
    const api = await createTestServer();
    await api.services.sessions.start('acme', { webhookUrl: 'https://example.com' });
    return api;
  }

  for (const { path, valid, fields } of ROUTES) {
    describe(path, () => {
      let api: TestServer;
      before(async () => {
        api = await startServer();
      });

      it('takes a right one', async () => {
        const { status, body } = await api.post(path, valid);
        expect(status, String(body.error)).to.equal(200);
      });

      it('refuses a field that it does not know, and names it', async () => {
        await expectRefusal({ ...valid, suprise: 1 }, 'suprise is not allowed');
      });

      it('refuses what is no object', async () => {
        for (const body of [[], 'text', 7, true]) {
          const { status, body: answer } = await api.post(path, body);
          expect(status).to.equal(400);
          expect(answer).to.deep.equal({ error: 'the request body must be of type object' });
        }
      });

      for (const [name, field] of Object.entries(fields)) {
        if (field.required) {
          it(`needs ${name}`, async () => {
            const { [name]: _, ...rest } = valid;
            await expectRefusal(rest, `${name} is required`);
          });
        }

        it(`refuses a wrong ${name}`, async () => {
          for (const value of field.wrong) await expectRefusal({ ...valid, [name]: value }, name);
        });

        if (field.tooLong !== undefined) {
          it(`refuses a too long ${name}`, async () => {
            await expectRefusal({ ...valid, [name]: field.tooLong }, name);
          });
        }
      }

      async function expectRefusal(body: unknown, words: string): Promise<void> {
        const answer = await api.post(path, body);
        expect(
          answer.status,
          `${JSON.stringify(body).slice(0, 200)} → ${JSON.stringify(answer.body)}`,
        ).to.equal(400);
        expect(Object.keys(answer.body)).to.deep.equal(['error']);
        expect(answer.body.error).to.include(words);
      }
    });
  }
});

describe('a wrong request body', () => {
  let api: TestServer;
  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
  });

  it('names every broken rule at once, also for an empty body', async () => {
    const { status, body } = await api.post('/send-message');
    expect(status).to.equal(400);
    expect(body).to.deep.equal({ error: 'clientId is required. to is required. body is required' });
  });

  it('does not repeat a secret that it refuses', async () => {
    const { body } = await api.post('/set-api-secret', {
      clientId: 'acme',
      secret: 'gehe\u00efm-gehe\u00efm-gehe\u00efm',
    });
    expect(body.error).to.equal('secret must be printable ASCII without spaces at its ends');
  });

  it('keeps the message short however much is wrong', async () => {
    const mentions = Array(1_000).fill('not digits');
    const { status, body } = await api.post('/send-message', {
      clientId: 'acme',
      to: '+15550000002',
      body: 'x',
      mentions,
    });
    expect(status).to.equal(400);
    expect(body.error).to.have.lengthOf.at.most(1_000);
  });

  it('lets metaData hold anything', async () => {
    const metaData = { fromAI: true, deep: { list: [1, 'two', null] } };
    await api.post('/send-message', { clientId: 'acme', to: '+15550000002', body: 'x', metaData });
    expect(api.services.sending.sent[0]?.payload.metaData).to.deep.equal(metaData);
  });
});

describe('clientId in the query', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.services.sessions.start('acme', {});
  });

  it('stands in for the one in the body', async () => {
    const { status, body } = await api.post('/set-org-id?clientId=acme', { orgId: 'org1' });
    expect([status, body]).to.deep.equal([200, { ok: true, clientId: 'acme', orgId: 'org1' }]);
  });

  it('may say the same as the body', async () => {
    const { status } = await api.post('/set-org-id?clientId=acme', { clientId: 'acme', orgId: 'org1' });
    expect(status).to.equal(200);
  });

  it('must not contradict the body', async () => {
    const { status, body } = await api.post('/set-org-id?clientId=other', {
      clientId: 'acme',
      orgId: 'org1',
    });
    expect(status).to.equal(400);
    expect(body.error).to.include('clientId');
  });

  for (const query of ['clientId=', 'clientId=a-b', 'clientId=acme&clientId=other', 'clientid=acme']) {
    it(`is refused as ?${query}`, async () => {
      for (const path of ['/qr', '/clients', '/config', '/failed-deliveries', '/events']) {
        const { status, body } = await api.get(`${path}?${query}`);
        expect(status, path).to.equal(400);
        expect(body.error).to.match(/client[iI]d/);
      }
      expect((await api.post(`/start?${query}`)).status).to.equal(400);
    });
  }

  it('is needed by /start and /qr', async () => {
    for (const answer of [await api.post('/start'), await api.get('/qr')]) {
      expect(answer).to.deep.include({ status: 400, body: { error: 'clientId is required' } });
    }
  });

  it('creates nothing when the body of /start is wrong', async () => {
    await api.post('/start?clientId=fresh', { webhookUrl: 'not a URL' });
    expect(api.services.sessions.has('fresh')).to.equal(false);
  });
});
