import SwaggerParser from '@apidevtools/swagger-parser';
import { expect } from 'chai';
import { sendableKinds } from '../../../src/gateway/kinds/index.js';
import { closeServers, createTestServer, type TestServer, TOKEN } from './support/test-server.js';

describe('the OpenAPI document', () => {
  afterEach(closeServers);
  let server: TestServer;

  beforeEach(async () => {
    server = await createTestServer();
  });

  it('the document is valid, and names every route', async () => {
    const { status, body } = await server.get('/openapi.json');
    expect(status).to.equal(200);
    const document = await SwaggerParser.validate(JSON.parse(JSON.stringify(body)));
    const { body: config } = await server.get('/config');
    const named = Object.entries(document.paths ?? {}).flatMap(([path, operations]) =>
      Object.keys(operations ?? {}).flatMap((method) =>
        method === 'head' ? [] : `${method.toUpperCase()} ${path}`,
      ),
    );
    expect(named).to.have.members(Array.isArray(config.routes) ? config.routes : []);
  });

  it('describes the fields of each send route, with limits and examples', async () => {
    const { body } = await server.get('/openapi.json');
    const document = JSON.stringify(body);
    for (const { path } of sendableKinds()) expect(document).to.contain(`"${path}"`);
    expect(body).to.have.nested.property(
      'paths./send-message.post.requestBody.content.application/json.schema.properties.body.maxLength',
      65_536,
    );
    expect(body).to.have.nested.property(
      'paths./send-message.post.requestBody.content.application/json.schema.properties.to.examples',
    );
  });

  it('the document requires no token where the route requires none', async () => {
    const { body } = await server.get('/openapi.json');
    expect(body).to.have.nested.property('paths./health/live.get.security').that.deep.equals([]);
    expect(body).to.not.have.nested.property('paths./clients.get.security');
  });

  it('describes HEAD of the routes without a token, which answer it with the headers of GET', async () => {
    const { body } = await server.get('/openapi.json');
    for (const path of [
      '/health/live',
      '/health/ready',
      '/health/clients',
      '/pair/{token}',
      '/media/{id}/{fileName}',
    ]) {
      expect(body)
        .to.have.nested.property(`paths.${path}.head.responses.200`)
        .that.has.all.keys('description');
    }
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => server.server.inject({ method, url: '/health/live' })),
    );
    expect(head?.statusCode).to.equal(200);
    expect(head?.payload).to.equal('');
    expect(head?.headers['content-type']).to.equal(get?.headers['content-type']);
  });

  it('describes the page of an unknown one-time address as it is answered', async () => {
    const { body } = await server.get('/openapi.json');
    expect(body)
      .to.have.nested.property('paths./pair/{token}.get.responses.404.content')
      .that.has.all.keys('text/html', 'application/json');
    const { statusCode, headers } = await server.server.inject({ url: '/pair/acme.unknown' });
    expect([statusCode, headers['x-sn-error']]).to.deep.equal([404, 'pair_link_unknown']);
    expect(headers['content-type']).to.match(/^text\/html/);
  });

  it('describes the fields that an event picks out of the metaData of a send', async () => {
    const { body } = await server.get('/openapi.json');
    expect(body)
      .to.have.nested.property('components.schemas.EventMeta.properties')
      .that.has.all.keys('fromAI', 'userId', 'userName', 'sender', 'name', 'raw');
  });

  it('the document is refused without a token', async () => {
    expect((await server.get('/openapi.json', { token: null })).status).to.equal(401);
  });
});

describe('the page of the API', () => {
  afterEach(closeServers);
  const basic = `Basic ${Buffer.from(`:${TOKEN}`).toString('base64')}`;

  const load = async (url: string, authorization = basic) => {
    const { server } = await createTestServer();
    return server.inject({ method: 'GET', url, headers: { authorization } });
  };

  it('the page is served with a strict policy, to a browser that sends the token as a password', async () => {
    const { statusCode, headers, payload } = await load('/docs');
    expect(statusCode).to.equal(200);
    expect(headers['content-type']).to.match(/^text\/html/);
    expect(headers['content-security-policy']).to.contain("default-src 'none'");
    for (const [, file] of payload.matchAll(/(?:href|src)="([^"]+)"/g)) {
      expect((await load(`/${file}`)).statusCode).to.equal(200);
    }
  });

  it('serves no other file', async () => {
    for (const file of ['package.json', 'index.html', '..%2fpackage.json']) {
      expect((await load(`/docs/${file}`)).statusCode).to.equal(400);
    }
  });

  it('the page is refused without a valid password', async () => {
    const { statusCode, headers } = await load('/docs', `Basic ${Buffer.from(':wrong').toString('base64')}`);
    expect(statusCode).to.equal(401);
    const [bearer, basic] = [headers['www-authenticate']].flat();
    expect(bearer).to.equal('Bearer');
    // a browser asks for the password
    expect(basic).to.match(/^Basic realm="Switchboard: .*the password is the API token"/);
  });
});
