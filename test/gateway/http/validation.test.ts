import { expect } from 'chai';
import { isReady, makeReady } from './support/ready-session.js';
import { ROUTES, rightAnswer } from './support/route-cases.js';
import { closeServers, createTestServer, type TestServer } from './support/test-server.js';

describe('request bodies', () => {
  let api: TestServer;
  before(async () => {
    api = await createTestServer();
  });
  after(closeServers);

  for (const { path, url, valid, fields, required } of ROUTES) {
    describe(path, () => {
      before(async () => {
        // a route before may have deleted it
        if (!(await isReady(api))) await makeReady(api);
      });

      it('accepts a valid body', async () => {
        const { status, headers, body } = await api.passing(api.post(url, valid));
        const answer = [status, headers['x-sn-error']];
        expect(answer, String(body.error)).to.deep.equal(rightAnswer({ method: 'post', path }));
      });

      it('refuses an unknown field, and names it', async () => {
        await expectRefusal({ ...valid, suprise: 1 }, 'suprise is not allowed');
      });

      it('refuses a body that is not an object', async () => {
        for (const body of [[], 'text', 7, true]) {
          const { status, body: answer } = await api.post(url, body);
          expect(status).to.equal(400);
          expect(answer).to.deep.equal({ error: 'the request body must be of type object' });
        }
      });

      for (const name of required) {
        it(`requires ${name}`, async () => {
          const { [name]: _, ...rest } = valid;
          await expectRefusal(rest, `${name} is required`);
        });
      }

      for (const [name, field] of Object.entries(fields)) {
        it(`refuses an invalid ${name}`, async () => {
          for (const value of field.wrong) await expectRefusal({ ...valid, [name]: value }, name);
        });

        if (field.tooLong !== undefined) {
          it(`refuses a too long ${name}`, async () => {
            await expectRefusal({ ...valid, [name]: field.tooLong }, name);
          });
        }
      }

      async function expectRefusal(body: unknown, words: string): Promise<void> {
        const answer = await api.post(url, body);
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

describe('an invalid request body', () => {
  let api: TestServer;
  beforeEach(async () => {
    api = await createTestServer();
    await api.connect();
  });
  afterEach(closeServers);

  it('reports every violated rule at once, also for an empty body', async () => {
    const { status, body } = await api.post('/send-message');
    expect(status).to.equal(400);
    expect(body).to.deep.equal({ error: 'clientId is required. to is required. body is required' });
  });

  it('an invalid body is refused without repeating a secret', async () => {
    const { body } = await api.post('/set-api-secret', {
      clientId: 'acme',
      secret: 'gehe\u00efm-gehe\u00efm-gehe\u00efm',
    });
    expect(body.error).to.equal('secret must be printable ASCII without spaces at its ends');
  });

  it('an invalid body is refused with a short message, however many rules it violates', async () => {
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

  it('refuses a key __proto__ anywhere, and names its place', async () => {
    const refused = [
      ['{"__proto__":{"a":1}}', '__proto__ is not allowed'],
      ['{"metaData":{"list":[{"__proto__":1}]}}', 'metaData.list.0.__proto__ is not allowed'],
    ];
    for (const [payload, error] of refused) {
      const headers = { 'content-type': 'application/json' };
      const { status, body } = await api.call('POST', '/send-message', { payload, headers });
      expect([status, body]).to.deep.equal([400, { error }]);
    }
  });

  it('refuses half of a surrogate pair anywhere in JSON, and names its place', async () => {
    const send = (fields: string) => `{"clientId":"acme","to":"+15550000002",${fields}}`;
    const refused: [string, string][] = [
      [send('"body":"a\\ud800b"'), 'body'],
      [send('"body":"\\udc00\\ud800"'), 'body'],
      [send('"body":"x","metaData":{"list":[{"a":"\\ud83d"}]}'), 'metaData.list.0.a'],
      [send('"body":"x","metaData":{"a\\ude00":1}'), 'metaData.a\ufffd'],
      ['{"clientId":"ac\\ud800me","to":"+15550000002","body":"x"}', 'clientId'],
      ['"a\\ud800"', 'the value'],
    ];
    const headers = { 'content-type': 'application/json' };
    for (const [payload, place] of refused) {
      const answer = await api.call('POST', '/send-message', { payload, headers });
      const error = `${place} must not contain half of a surrogate pair`;
      expect([answer.status, answer.headers['x-sn-error'], answer.body], payload).to.deep.equal([
        400,
        'invalid_request',
        { error },
      ]);
    }
    const whole = send('"body":"\\ud83d\\ude00","metaData":{"\\ud83d\\ude00":"\ufffd"}');
    expect((await api.call('POST', '/send-message', { payload: whole, headers })).status).to.equal(200);
  });

  it('refuses bytes that are not UTF-8 in a body, in a form and in the query', async () => {
    const surrogate = Buffer.from('eda080', 'hex');
    const broken = (text: string) =>
      Buffer.concat(
        text.split('|').flatMap((part, index) => [...(index > 0 ? [surrogate] : []), Buffer.from(part)]),
      );
    const headers = { 'content-type': 'application/json' };
    for (const path of ['/send-message', '/send-media-message?clientId=acme', '/pair/acme.x/code']) {
      const payload = broken('{"clientId":"acme","to":"+15550000002","body":"a|b"}');
      const json = await api.call('POST', path, { payload, headers });
      expect([json.status, json.body], path).to.deep.equal([
        400,
        { error: 'the request body must be UTF-8' },
      ]);
    }
    const part = (name: string, text: string) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
    const fields = [part('clientId', 'acme'), part('to', '+15550000002'), part('caption', 'a|b')].join('');
    const form = await api.call('POST', '/send-media-message?clientId=acme', {
      payload: broken(`${fields}--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--x--\r\n`),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
    const rule = 'must be valid UTF-8, without the replacement character U+FFFD';
    expect([form.status, form.body]).to.deep.equal([400, { error: `caption ${rule}` }]);
    const query = await api.get('/media-files?clientId=acme&q=%C3%A4%ED%A0%80');
    expect([query.status, query.body]).to.deep.equal([400, { error: 'q must be UTF-8 in the query' }]);
    const name = await api.get('/clients?%ED%A0%80=1');
    expect([name.status, name.body]).to.deep.equal([
      400,
      { error: 'the name of a field must be UTF-8 in the query' },
    ]);
    // a percent sign alone is what it was before
    expect((await api.get('/clients?clientId=%')).body.error).to.include('clientId');
  });

  it('refuses metaData that is nested too deeply, in JSON and in a form', async () => {
    const deep = `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`;
    const error = 'metaData must not be nested in more than 64 levels';
    const headers = { 'content-type': 'application/json' };
    const payload = `{"clientId":"acme","to":"+15550000002","body":"x","metaData":${deep}}`;
    const json = await api.call('POST', '/send-message', { payload, headers });
    expect([json.status, json.body]).to.deep.equal([400, { error }]);
    for (const [metaData, message] of [
      [deep, error],
      ['{"__proto__":{"a":1}}', 'metaData.__proto__ is not allowed'],
    ] as const) {
      const form = new FormData();
      form.set('clientId', 'acme');
      form.set('to', '+15550000002');
      form.set('metaData', metaData);
      form.set('file', new Blob(['x']), 'x.txt');
      const request = new Request('http://localhost', { method: 'POST', body: form });
      const answer = await api.call('POST', '/send-media-message?clientId=acme', {
        payload: await request.text(),
        headers: { 'content-type': request.headers.get('content-type') ?? '' },
      });
      expect([answer.status, answer.body]).to.deep.equal([400, { error: message }]);
    }
  });

  it('refuses a webhookToken that claims to be base64 and is not, because calls would be signed with an empty key', async () => {
    for (const webhookToken of ['whsec_', 'whsec_!!!!', 'whsec_with spaces']) {
      const { status, body } = await api.post('/set-webhook', {
        clientId: 'acme',
        webhookUrl: 'https://example.com',
        webhookToken,
      });
      expect([status, body.error]).to.deep.equal([400, 'webhookToken must be a key in base64 after whsec_']);
    }
  });

  it('refuses control characters in an address, and keeps others as a URL writes them', async () => {
    const set = (webhookUrl: string) => api.post('/set-webhook', { clientId: 'acme', webhookUrl });
    for (const character of ['\u0007', '\u001b', '\u009b', '\u0000']) {
      const { status, body } = await set(`https://example.com/a${character}b`);
      expect([status, body.error]).to.deep.equal([400, 'webhookUrl must be an absolute http(s) URL']);
    }
    expect((await set('https://example.com/ü\u202e')).body.webhookUrl).to.equal(
      'https://example.com/%C3%BC%E2%80%AE',
    );
    expect((await set('https://example.com')).body.webhookUrl).to.equal('https://example.com');
  });

  it('refuses control characters and marks that reverse text in orgId', async () => {
    for (const character of ['\u0007', '\u001b', '\n', '\u009b', '\u202e', '\u2028']) {
      const { status, body } = await api.post('/set-org-id', { clientId: 'acme', orgId: `a${character}b` });
      expect([status, body.error]).to.deep.equal([400, 'orgId must not contain control characters']);
    }
    const named = { clientId: 'acme', orgId: 'Büro 你好' };
    expect((await api.post('/set-org-id', named)).body.orgId).to.equal(named.orgId);
  });

  it('accepts any value in metaData', async () => {
    const metaData = { fromAI: true, deep: { list: [1, 'two', null] } };
    await api.post('/send-message', { clientId: 'acme', to: '+15550000002', body: 'x', metaData });
    const { messageId = '' } = api.network.sent[0] ?? {};
    const record = await api.store.sends.get('acme', messageId);
    expect(JSON.parse(record?.metaData ?? '')).to.deep.equal(metaData);
  });
});

describe('clientId in the query', () => {
  let api: TestServer;

  beforeEach(async () => {
    api = await createTestServer();
    await api.connect();
  });
  afterEach(closeServers);

  it('the clientId in the query replaces a missing one in the body', async () => {
    const { status, body } = await api.post('/set-org-id?clientId=acme', { orgId: 'org1' });
    expect([status, body]).to.deep.equal([200, { ok: true, clientId: 'acme', orgId: 'org1' }]);
  });

  it('the clientId in the query may equal the one in the body', async () => {
    const { status } = await api.post('/set-org-id?clientId=acme', { clientId: 'acme', orgId: 'org1' });
    expect(status).to.equal(200);
  });

  it('the clientId in the query is refused when it differs from the one in the body', async () => {
    const { status, body } = await api.post('/set-org-id?clientId=other', {
      clientId: 'acme',
      orgId: 'org1',
    });
    expect(status).to.equal(400);
    expect(body.error).to.include('clientId');
  });

  for (const query of ['clientId=', 'clientId=a-b', 'clientId=acme&clientId=other', 'clientid=acme']) {
    it(`the clientId in the query is refused as ?${query}`, async () => {
      for (const path of ['/qr', '/clients', '/config', '/failed-deliveries', '/events']) {
        const { status, body } = await api.get(`${path}?${query}`);
        expect(status, path).to.equal(400);
        expect(body.error).to.match(/client[iI]d/);
      }
      expect((await api.post(`/start?${query}`)).status).to.equal(400);
    });
  }

  it('the clientId in the query is required by /start and /qr', async () => {
    for (const answer of [await api.post('/start'), await api.get('/qr')]) {
      expect(answer).to.deep.include({ status: 400, body: { error: 'clientId is required' } });
    }
  });

  it('creates no session when the body of /start is invalid', async () => {
    await api.post('/start?clientId=fresh', { webhookUrl: 'not a URL' });
    expect(api.services.sessions.has('fresh')).to.equal(false);
  });
});
