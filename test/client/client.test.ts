import { execFile } from 'node:child_process';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import sharp from 'sharp';
import type * as ClientModule from '../../src/client/client.js';
import type { StreamItem, SwitchboardClient } from '../../src/client/client.js';
import type * as EventsModule from '../../src/client/events.js';
import { compiledProject } from '../support/compiled.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { ALICE, BOB, linkSession, startWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A folder with the package in its `node_modules`, as a program has it that installed it. */
async function installed(): Promise<{
  folder: TempDir;
  client: typeof ClientModule;
  events: typeof EventsModule;
}> {
  const folder = await makeTempDir();
  await mkdir(join(folder.path, 'node_modules'));
  await symlink(compiledProject(), join(folder.path, 'node_modules', 'switchboard-gateway'));
  const load = async (name: string) => {
    const file = join(folder.path, `${name}.mjs`);
    await writeFile(file, `export * from 'switchboard-gateway/${name}';\n`);
    return import(pathToFileURL(file).href);
  };
  return { folder, client: await load('client'), events: await load('events') };
}

describe('the client of the package', () => {
  let world: World;
  let folder: TempDir;
  let client: SwitchboardClient;
  let module: typeof ClientModule;
  let receiving: typeof EventsModule;

  before(async () => {
    const package_ = await installed();
    ({ folder, client: module, events: receiving } = package_);
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
    client = new module.SwitchboardClient({ url: `${world.daemon.url}/`, token: TOKEN });
  });

  after(async () => {
    await world.stop();
    await folder.remove();
  });

  it('calls an operation by its name, and refuses a wrong request as its method does', async () => {
    const state = await client.callByName('checkState', { clientId: 'acme' });
    expect(state).to.deep.equal(await client.checkState({ clientId: 'acme' }));
    const refused = await client.callByName('reconnect', {}).catch((error: unknown) => error);
    expect(refused).to.include({ status: 400, code: 'invalid_request' });
  });

  it('calls an operation with its query, its path and its body', async () => {
    expect(await client.checkState({ clientId: 'acme' })).to.deep.equal({
      status: true,
      state: '15550000001@s.whatsapp.net',
    });
    expect(await client.getQr({ clientId: 'acme', format: 'text' })).to.include({ status: 'connected' });
    await client.setOrgId({ clientId: 'acme', orgId: 'workspace1' });
    const { messageId } = await client.sendMessage({ clientId: 'acme', to: BOB.number, body: 'Hello' });
    const { chatRooms } = await client.listChatRooms({ clientId: 'acme' });
    const chatRoomId = chatRooms[0]?.chatRoomId ?? '';
    const { messages } = await client.listMessages({ chatRoomId, limit: 1, status: true });
    expect(messages.map((message) => message.messageId)).to.deep.equal([messageId]);
  });

  it('sends once with an idempotency key', async () => {
    const send = () =>
      client.sendMessage({ clientId: 'acme', to: BOB.number, body: 'Once' }, { idempotencyKey: 'one' });
    expect(await send()).to.deep.equal(await send());
  });

  it('uploads a file', async () => {
    const file = new Blob(['a,b\n1,2\n'], { type: 'text/csv' });
    const answer = await client.uploadMedia({
      clientId: 'acme',
      to: BOB.number,
      file,
      fileName: 'table.csv',
      caption: 'A table',
      metaData: { userId: 7 },
    });
    expect(answer).to.include({ status: 'sent', mediaType: 'document' });
    const held = await world.phones.waitForMessage(
      BOB.number,
      ({ messageId }) => messageId === answer.messageId,
    );
    expect(held.media).to.include({ mimeType: 'text/csv', fileName: 'table.csv' });
  });

  it('uploads a picture of the number and of a group', async () => {
    const picture = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'blue' } })
      .png()
      .toBuffer();
    const file = new Blob([new Uint8Array(picture)], { type: 'image/png' });
    expect(await client.uploadPicture({ clientId: 'acme', file })).to.deep.equal({ ok: true });
    expect((await world.phones.phone(ALICE.number)).pictureId).not.to.equal('');
    const participants = [BOB.number];
    const { group } = await client.createGroup({ clientId: 'acme', subject: 'Blue', participants });
    await client.uploadPicture({ clientId: 'acme', groupJid: group.jid, file });
    expect((await world.phones.groups.get(group.jid)).pictureId).not.to.equal('');
  });

  it('returns answers that are not JSON unchanged', async () => {
    expect(await (await client.getMetrics()).text()).to.contain('switchboard_');
  });

  it('fails with status, code and message', async () => {
    const failure = async (work: Promise<unknown>) =>
      work.then(
        () => expect.fail('it did not fail'),
        (error: unknown) => error,
      );
    const unknown = await failure(client.getQr({ clientId: 'nobody' }));
    expect(unknown).to.be.instanceOf(module.SwitchboardError);
    expect(unknown).to.include({ status: 404, code: 'session_unknown' });
    expect(unknown).to.have.property('message').that.contains('nobody');
    const refused = new module.SwitchboardClient({ url: world.daemon.url, token: 'wrong' });
    expect(await failure(refused.listClients())).to.include({ status: 401, code: 'unauthorized' });
    const nowhere = new module.SwitchboardClient({ url: 'http://127.0.0.1:1' });
    expect(await failure(nowhere.getLive())).to.include({ status: 0, code: 'unreachable' });
    const brief = new module.SwitchboardClient({ url: world.daemon.url, token: TOKEN, timeoutMs: 1 });
    expect(await failure(brief.getFleet()))
      .to.include({ code: 'unreachable' })
      .and.have.property('message')
      .that.contains('did not answer within');
  });

  it('iterates over the live stream, and ends it when the loop is left', async () => {
    const body = 'Seen live';
    for await (const item of client.events({ clientId: 'acme', withinMs: 60_000 })) {
      if (item.kind !== 'event' || item.event.type !== 'text') continue;
      if (item.event.body === body) break;
      if (item.event.fromMe && item.event.body !== body) {
        await client.sendMessage({ clientId: 'acme', to: BOB.number, body });
      }
    }
  });

  it('ends the stream when its signal aborts, and throws errors that no retry can fix', async () => {
    const ending = new AbortController();
    const seen: StreamItem[] = [];
    setTimeout(() => ending.abort(), 200);
    for await (const item of client.events({ signal: ending.signal })) seen.push(item);
    const refused = new module.SwitchboardClient({ url: world.daemon.url, token: 'wrong' });
    let error: unknown;
    try {
      for await (const item of refused.events()) seen.push(item);
    } catch (caught) {
      error = caught;
    }
    expect(error).to.include({ status: 401 });
  });

  it('verifies a webhook call and returns its event', async () => {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'Hello Alice' });
    const { headers, body } = await world.receiver.find((call) => call.body.includes(messageId));
    const event = receiving.verifyWebhook({ headers, body, token: WEBHOOK_TOKEN });
    expect(event).to.include({ type: 'text', body: 'Hello Alice' });
    expect(() => receiving.verifyWebhook({ headers, body, token: 'another' })).to.throw(
      receiving.WebhookVerificationError,
    );
  });
});

describe('the stream of the client', () => {
  let folder: TempDir;
  let module: typeof ClientModule;
  let server: Server;
  let asked: (string | undefined)[];
  /** What each connection is sent before it is cut. */
  let connections: string[];

  before(async () => {
    ({ folder, client: module } = await installed());
  });
  after(() => folder.remove());

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(String(request.headers['last-event-id'] ?? ''));
      const text = connections.shift();
      if (text === undefined)
        return response.writeHead(403, { 'x-sn-error': 'forbidden' }).end('{"error":"no"}');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text);
      setTimeout(() => response.destroy(), 20);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => server.close());

  const portOf = ({ port }: AddressInfo) => port;
  const read = async (): Promise<string[]> => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the server does not listen');
    const client = new module.SwitchboardClient({ url: `http://127.0.0.1:${portOf(address)}` });
    const ids: string[] = [];
    try {
      for await (const { id } of client.events()) ids.push(id);
    } catch (error) {
      expect(error).to.include({ code: 'forbidden', message: 'no' });
    }
    return ids;
  };

  it('resumes after the last entry, even if the connection was cut before the first one', async () => {
    const dropped = '{"kind":"dropped","clientId":"acme","deliveryId":"D1","reason":"full"}';
    const entry = (id: string) => `id: ${id}\nevent: dropped\ndata: ${dropped}\n\n`;
    connections = [
      ': connected at e-5\nid: e-5\n\n',
      `: connected at e-5\nid: e-5\n\n${entry('e-6')}${entry('e-7')}id: e-8\ndata: {"ki`,
    ];
    expect(await read()).to.deep.equal(['e-6', 'e-7']);
    expect(asked).to.deep.equal(['', 'e-5', 'e-7']);
  });

  it('skips unknown and incomplete entries', async () => {
    const entry = (id: string, data: object) => `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
    const room = { kind: 'room', clientId: 'acme', chatRoomId: '' };
    connections = [
      [
        entry('e-1', { ...room, kind: 'newer' }),
        entry('e-2', { kind: 'event', clientId: 'acme', event: 'none' }),
        entry('e-3', { kind: 'room', clientId: 'acme' }),
        entry('e-4', { ...room, clientId: 7 }),
        entry('e-5', { kind: 'toString', clientId: 'acme' }),
        entry('e-6', room),
      ].join(''),
    ];
    expect(await read()).to.deep.equal(['e-6']);
  });
});

describe('the types of the package', () => {
  it('compile in a program that has nothing else installed', async () => {
    const folder = await makeTempDir();
    const home = join(folder.path, 'node_modules', 'switchboard-gateway');
    await mkdir(home, { recursive: true });
    await cp(join(ROOT, 'package.json'), join(home, 'package.json'));
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
    const emit = ['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--strict', '--skipLibCheck'];
    const target = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
    const places = ['--rootDir', ROOT, '--outDir', join(home, 'dist')];
    const sources = ['src/client/client.ts', 'src/client/events.ts'];
    await run(tsc, [...emit, ...target, ...places, ...sources], { cwd: ROOT });
    await writeFile(join(folder.path, 'package.json'), '{"type": "module"}');
    await writeFile(
      join(folder.path, 'use.ts'),
      [
        "import { SwitchboardClient, SwitchboardError, type StreamItem } from 'switchboard-gateway/client';",
        "import { verifyWebhook, type WebhookEvent } from 'switchboard-gateway/events';",
        "const client = new SwitchboardClient({ url: 'http://127.0.0.1:3000' });",
        "const { messageId } = await client.sendMessage({ clientId: 'acme', to: '+1', body: 'Hi' });",
        'const id: string = messageId;',
        '// @ts-expect-error a required field is missing',
        "await client.sendMessage({ clientId: 'acme', body: 'Hi' });",
        "const event: WebhookEvent = verifyWebhook({ headers: {}, body: '', token: 't' });",
        "if (event.type === 'poll_creation') event.poll.options.map((option) => option.length);",
        '// @ts-expect-error a text has no poll',
        "if (event.type === 'text') event.poll;",
        'for await (const item of client.events()) {',
        "  if (item.kind === 'event' && item.event.type === 'image') item.event.media.download.url.length;",
        '  const same: StreamItem = item;',
        '}',
        'try {} catch (error) { if (error instanceof SwitchboardError) error.code === id; }',
      ].join('\n'),
    );
    const check = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--lib',
      'es2023,dom,dom.iterable',
      '--types',
      '',
    ];
    const result = await run(tsc, [...check, '--target', 'es2023', '--module', 'nodenext', 'use.ts'], {
      cwd: folder.path,
    }).catch((error: { stdout: string }) => error);
    expect(result.stdout).to.equal('');
    await folder.remove();
  });
});
