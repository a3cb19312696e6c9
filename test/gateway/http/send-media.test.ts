import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { LIMITS } from '../../../src/domain/limits.js';
import type { SpooledFile } from '../../../src/gateway/services/services.js';
import { pdf, voiceNote } from '../../support/made-files.js';
import { startReceiver, type TestReceiver } from '../../support/receiver.js';
import { BOB_LID } from './support/played-network.js';
import {
  type Answer,
  closeServers,
  createTestServer,
  type TestServer,
  TOKEN,
} from './support/test-server.js';
import { PIXEL } from './support/web.js';

const PATH = '/send-media-message';
const SECRET = 'secret-of-the-session';
const MB = 1024 * 1024;
const BY_URL = { clientId: 'acme', to: '+15550000002', downloadUrl: 'https://example.com/a.pdf' };
const PNG = new File([PIXEL], 'menu.png', { type: 'image/png' });

describe('/send-media-message', () => {
  let api: TestServer;
  let host: TestReceiver;

  before(async () => {
    host = await startReceiver((response) => response.end(pdf(1)));
    BY_URL.downloadUrl = `${host.url}/a.pdf`;
  });
  after(() => host.stop());

  beforeEach(async () => {
    api = await createTestServer();
    await api.connect();
    await api.services.sessions.setApiSecret('acme', SECRET);
  });

  /** The one file that was sent, with its record. */
  const sent = async () => {
    const [file] = api.network.sent;
    if (!file || api.network.sent.length > 1) throw new Error('not one file was sent');
    expect(file.to).to.equal(BOB_LID);
    const record = await api.store.sends.get('acme', file.messageId);
    return { ...file, fileName: record?.fileName, metaData: record?.metaData };
  };

  afterEach(async () => {
    expect(api.media.onDisk(), 'files that were left behind').to.deep.equal({ files: 0, bytes: 0 });
    await closeServers();
  });

  describe('/send-media-message with JSON', () => {
    it('sends a file by URL', async () => {
      const envelope = {
        quotedMessageId: '3EB0',
        mentions: ['15550000003'],
        metaData: { fromAI: true, a: [1] },
      };
      host.respond((response) => response.end(voiceNote(3)));
      const request = {
        ...{ ...BY_URL, ...envelope, mimeType: 'audio/ogg; codecs=opus', caption: 'Hi', fileName: 'a.ogg' },
        ...{ sendAudioAsVoice: true, asSticker: false },
      };
      const headers = { 'idempotency-key': 'once' };
      const answer = await api.post(PATH, request, { headers });
      host.respond((response) => response.end(pdf(1)));
      const { messageId, made, quoted, fileName, metaData } = await sent();
      const bytes = voiceNote(3).length;
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { status: 'sent', messageId, mediaType: 'audio', bytes },
      ]);
      expect(made.audioMessage).to.include({
        mimetype: 'audio/ogg; codecs=opus',
        ptt: true,
        fileLength: bytes,
      });
      expect(quoted?.messageId).to.equal('3EB0');
      expect(JSON.stringify(made)).to.include('15550000003');
      expect([fileName, JSON.parse(metaData ?? '')]).to.deep.equal(['a.ogg', envelope.metaData]);
      expect((await api.post(PATH, request, { headers })).body).to.deep.equal(answer.body);
      expect(api.network.sent).to.have.lengthOf(1);
    });

    it('requires only a URL', async () => {
      expect((await api.post(PATH, BY_URL)).status).to.equal(200);
      const { made, quoted, fileName, metaData } = await sent();
      expect(made.documentMessage).to.include({ mimetype: 'application/pdf', fileName: 'a.pdf' });
      expect(made.documentMessage).to.not.have.any.keys('caption', 'mentions');
      expect([quoted, fileName, metaData]).to.deep.equal([undefined, 'a.pdf', '']);
    });

    it('accepts the clientId in the query too, if both agree', async () => {
      const { clientId: _, ...rest } = BY_URL;
      expect((await api.post(`${PATH}?clientId=acme`, rest)).status).to.equal(200);
      expect((await api.post(`${PATH}?clientId=acme`, BY_URL)).status).to.equal(200);
      const { status, body } = await api.post(`${PATH}?clientId=other`, BY_URL);
      expect([status, body]).to.deep.equal([
        400,
        { error: 'clientId must be the same in the query and in the body' },
      ]);
    });

    it('accepts compressed JSON, like all routes', async () => {
      const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
      const payload = gzipSync(JSON.stringify(BY_URL));
      const { statusCode } = await api.server.inject({
        method: 'POST',
        url: PATH,
        headers: { ...headers, authorization: `Bearer ${TOKEN}` },
        payload,
      });
      expect(statusCode).to.equal(200);
      const broken = await api.call('POST', PATH, { headers, payload: 'not compressed' });
      expect(broken.status).to.equal(400);
    });

    const refused: [string, object | string, RegExp][] = [
      ['an empty body', '', /^clientId is required. to is required. downloadUrl is required$/],
      ['a list as the body', [], /must be of type object/],
      ['a missing URL', { ...BY_URL, downloadUrl: undefined }, /^downloadUrl is required$/],
      [
        'a URL that is not http',
        { ...BY_URL, downloadUrl: 'ftp://example.com/a' },
        /^downloadUrl must be an absolute/,
      ],
      ['a relative URL', { ...BY_URL, downloadUrl: '/a' }, /^downloadUrl must be an absolute/],
      [
        'an invalid MIME type',
        { ...BY_URL, mimeType: 'png' },
        /^mimeType must be a MIME type such as image\/png$/,
      ],
      ['a text as a flag', { ...BY_URL, asSticker: 'true' }, /^asSticker must be a boolean$/],
      ['an unknown field', { ...BY_URL, file: 'a' }, /^file is not allowed$/],
      [
        'a caption that is too long',
        { ...BY_URL, caption: 'a'.repeat(LIMITS.textLength + 1) },
        /^caption length must/,
      ],
      ['malformed JSON', '{', /^Invalid request payload JSON format$/],
      ['a key __proto__', '{"metaData":{"__proto__":{"a":1}}}', /^metaData.__proto__ is not allowed$/],
    ];
    for (const [what, body, message] of refused) {
      it(`refuses ${what}`, async () => {
        const payload = typeof body === 'string' ? body : JSON.stringify(body);
        const answer = await api.call('POST', PATH, { payload });
        expect(answer.status).to.equal(400);
        expect(answer.body.error).to.match(message);
        expect(api.network.sent).to.deep.equal([]);
      });
    }

    for (const encoding of ['gzip', 'deflate']) {
      it(`survives a body that is not ${encoding} as declared, even when no handler reads it`, async () => {
        const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
        const broken = { headers, payload: 'neither' };
        expect((await api.call('POST', PATH, broken)).status).to.equal(400);
        // refused for its caller or its query, while the body still flows
        expect(
          (await api.call('POST', `${PATH}?clientId=other`, { ...broken, token: SECRET })).status,
        ).to.equal(403);
        expect((await api.call('POST', `${PATH}?clientId=no-such-name`, broken)).status).to.equal(400);
        expect((await api.get('/health/live')).status).to.equal(200);
      });
    }

    it('refuses JSON that is too large', async () => {
      const { status, body } = await api.post(PATH, { ...BY_URL, caption: 'a'.repeat(LIMITS.jsonBodyBytes) });
      expect(status).to.equal(413);
      expect(body).to.deep.equal({ error: `the request body is larger than ${LIMITS.jsonBodyBytes} bytes` });
    });

    it('refuses other content types', async () => {
      const headers = { 'content-type': 'text/plain' };
      const { status, body } = await api.call('POST', PATH, { headers, payload: 'Hi' });
      const rule =
        'the request body must be JSON or a form: Content-Type: application/json or multipart/form-data';
      expect([status, body]).to.deep.equal([415, { error: rule }]);
    });

    it("accepts a session's secret for its session only", async () => {
      expect((await api.post(PATH, BY_URL, { token: SECRET })).status).to.equal(200);
      const other = await api.post(PATH, { ...BY_URL, clientId: 'other' }, { token: SECRET });
      expect([other.status, other.body]).to.deep.equal([
        403,
        { error: 'this secret opens its own session only' },
      ]);
      expect((await api.post(PATH, BY_URL, { token: 'wrong' })).status).to.equal(401);
      expect(api.network.sent).to.have.lengthOf(1);
    });
  });

  describe('/send-media-message with a form', () => {
    /** Sends a form, as a browser or a program would. */
    async function post(
      parts: [string, string | Blob][],
      { query = '?clientId=acme', token = TOKEN, headers = {} }: FormOptions = {},
    ): Promise<Answer> {
      const form = new FormData();
      for (const [name, value] of parts) form.append(name, value);
      const made = new Response(form);
      const {
        statusCode,
        payload,
        headers: answered,
      } = await api.server.inject({
        method: 'POST',
        url: PATH + query,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': made.headers.get('content-type') ?? '',
          ...headers,
        },
        payload: Buffer.from(await made.arrayBuffer()),
      });
      return { status: statusCode, headers: answered, body: JSON.parse(payload) };
    }

    const ADDRESS: [string, string][] = [
      ['clientId', 'acme'],
      ['to', '+15550000002'],
    ];

    it('sends an uploaded file', async () => {
      const parts: [string, string | Blob][] = [
        ...ADDRESS,
        ['caption', 'Our menu — neu'],
        ['file', PNG],
        ['sendAudioAsVoice', 'false'],
        ['quotedMessageId', '3EB0'],
        ['mentions', '15550000003, 90000000000004'],
        ['metaData', '{"fromAI":true,"a":[1]}'],
      ];
      const headers = { 'idempotency-key': 'once' };
      const answer = await post([...parts, ['asSticker', 'false']], { headers });
      const { messageId, made, quoted, fileName, metaData } = await sent();
      expect([answer.status, answer.body]).to.deep.equal([
        200,
        { status: 'sent', messageId, mediaType: 'image' },
      ]);
      expect(made.imageMessage).to.include({
        ...{ caption: 'Our menu — neu', mimetype: 'image/png', fileLength: PIXEL.length },
      });
      expect(quoted?.messageId).to.equal('3EB0');
      expect(JSON.stringify(made)).to.include('15550000003').and.include('90000000000004');
      expect([fileName, metaData]).to.deep.equal(['menu.png', '{"fromAI":true,"a":[1]}']);
      expect((await post([...parts, ['asSticker', 'false']], { headers })).body).to.deep.equal(answer.body);
      expect(api.network.sent).to.have.lengthOf(1);
      await post([...parts, ['asSticker', 'true']]);
      expect(api.network.sent.at(-1)?.made).to.have.property('stickerMessage');
    });

    it('accepts the parts in any order, and empty parts as absent', async () => {
      const empty = ['caption', 'asSticker', 'quotedMessageId', 'mentions', 'metaData'];
      const parts: [string, string | Blob][] = [
        ['file', PNG],
        ['to', '+15550000002'],
      ];
      expect((await post([...parts, ...empty.map((name): [string, string] => [name, ''])])).status).to.equal(
        200,
      );
      const { made, quoted, fileName, metaData } = await sent();
      expect(made.imageMessage).to.include({ mimetype: 'image/png', fileLength: PIXEL.length });
      expect(made.imageMessage).to.not.have.any.keys('caption', 'mentions');
      expect([quoted, fileName, metaData]).to.deep.equal([undefined, 'menu.png', '']);
    });

    it('detects the type of a part without a type or with an unknown one, and keeps any other type', async () => {
      const part = (name: string, type: string) => new File(['a'], name, { type });
      await post([...ADDRESS, ['file', part('a.jpg', 'text/plain')]]);
      await post([...ADDRESS, ['file', part('a', 'application/octet-stream')]]);
      for (const heading of ['', 'Content-Type: text/plain\r\n']) {
        const head = (name: string) => `--B\r\nContent-Disposition: form-data; name="${name}"`;
        const fields = Object.entries({ clientId: 'acme', to: '+15550000002' });
        const texts = fields.map(([name, text]) => `${head(name)}\r\n\r\n${text}\r\n`).join('');
        const file = `${head('file')}; filename="a %22b%22.jpg"\r\n${heading}\r\na\r\n--B--\r\n`;
        const headers = { 'content-type': 'multipart/form-data; boundary=B' };
        await api.call('POST', '/send-media-message?clientId=acme', { payload: texts + file, headers });
      }
      const files = api.network.sent.map(({ made }) => made.documentMessage ?? made.imageMessage);
      const types = files.map((file) => file?.mimetype);
      expect(types).to.deep.equal(['text/plain', 'application/octet-stream', 'image/jpeg', 'text/plain']);
      const { messageId = '' } = api.network.sent.at(-1) ?? {};
      expect((await api.store.sends.get('acme', messageId))?.fileName).to.equal('a "b".jpg');
    });

    const withFile = (...parts: [string, string | Blob][]): [string, string | Blob][] => [
      ...ADDRESS,
      ['file', PNG],
      ...parts,
    ];
    const refused: [string, [string, string | Blob][], RegExp][] = [
      ['a missing file', ADDRESS, /^file is required$/],
      ['a text in place of a file', [...ADDRESS, ['file', '']], /^file must not be empty$/],
      ['an empty file', [...ADDRESS, ['file', new File([], 'a.png')]], /^file must not be empty$/],
      ['two files', withFile(['file', PNG]), /^file must occur exactly once$/],
      [
        'a file in another part',
        withFile(['picture', PNG]),
        /^picture takes no file; the part for it is named file$/,
      ],
      ['a missing recipient', [['file', PNG]], /^to is required$/],
      [
        'an empty recipient',
        [
          ['to', ''],
          ['file', PNG],
        ],
        /^to is not allowed to be empty$/,
      ],
      ['a repeated part', withFile(['to', '+15550000003']), /^to must occur exactly once$/],
      ['an unknown part', withFile(['fileName', 'a.png']), /^fileName is not allowed$/],
      [
        'another clientId',
        [
          ['clientId', 'other'],
          ['to', '1'],
          ['file', PNG],
        ],
        /^clientId must be the same/,
      ],
      ['an invalid flag', withFile(['asSticker', 'yes']), /^asSticker must be one of \[true, false\]$/],
      [
        'invalid mentions',
        withFile(['mentions', 'Bob,15550000003']),
        /^mentions must be LID or phone digits, separated by commas$/,
      ],
      ['metaData that is not JSON', withFile(['metaData', '{']), /^metaData must be a JSON object$/],
      ['metaData that is not an object', withFile(['metaData', '[1]']), /^metaData must be a JSON object$/],
      [
        'a part that is too long',
        withFile(['caption', 'a'.repeat(300_000)]),
        /^caption must have 262144 bytes at most$/,
      ],
      [
        'too many parts',
        withFile(...Array.from({ length: 20 }, (_, index): [string, string] => [`part${index}`, 'a'])),
        /^a form takes 20 parts at most$/,
      ],
    ];
    for (const [what, parts, message] of refused) {
      it(`refuses ${what}`, async () => {
        const { status, body } = await post(parts);
        expect(status).to.equal(400);
        expect(body.error).to.match(message);
        expect(api.network.sent).to.deep.equal([]);
      });
    }

    it('requires the clientId in the query', async () => {
      const { status, body } = await post(withFile(), { query: '' });
      expect([status, body]).to.deep.equal([
        400,
        { error: 'clientId is required in the query too: a form is read last' },
      ]);
    });

    it('reads no file for a session that does not exist', async () => {
      api.services.sending.spool = () => expect.fail('the file was taken');
      const answer = await post(
        [
          ['to', '1'],
          ['file', PNG],
        ],
        { query: '?clientId=nobody' },
      );
      expect(answer.status).to.equal(404);
      expect(answer.body.error).to.match(/^unknown clientId nobody/);
    });

    it('reads no file from an unauthorized client', async () => {
      api.services.sending.spool = () => expect.fail('the file was taken');
      expect((await post(withFile(), { token: 'wrong' })).status).to.equal(401);
      const other = await post(withFile(), { token: SECRET, query: '?clientId=other' });
      expect([other.status, other.body]).to.deep.equal([
        403,
        { error: 'this secret opens its own session only' },
      ]);
    });

    it('refuses a form without a boundary, and a broken one', async () => {
      const send = (type: string, payload: string) =>
        api.call('POST', `${PATH}?clientId=acme`, { headers: { 'content-type': type }, payload });
      const unbounded = await send('multipart/form-data', 'a');
      expect([unbounded.status, unbounded.body]).to.deep.equal([
        400,
        { error: 'Invalid content-type header: multipart missing boundary' },
      ]);
      const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';
      for (const payload of ['', 'no form', '--x--', head, `${head}half`, `${head}a\r\n--x\r\n`]) {
        const { status, body } = await send('multipart/form-data; boundary=x', payload);
        expect(status, payload).to.equal(400);
        expect(body.error, payload).to.match(/^(the form is broken, or ends too early|file is required)$/);
      }
    });

    it('deletes an upload that cannot be sent', async () => {
      api.network.failure = new GatewayError('send_rejected', 'the network rejected it');
      const { status, body } = await post(withFile());
      expect([status, body]).to.deep.equal([502, { error: 'the network rejected it' }]);
    });
  });

  describe('/send-media-message over a connection', () => {
    beforeEach(() => api.server.start());

    /** Has uploads pass through a step on their way to the disk. */
    function around(
      step: (take: () => Promise<SpooledFile>, stream: Readable) => Promise<SpooledFile>,
    ): void {
      const { sending } = api.services;
      const spool = sending.spool.bind(sending);
      sending.spool = (clientId, stream) => step(() => spool(clientId, stream), stream);
    }

    const HEAD = [
      '--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n+15550000002\r\n',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n',
      'Content-Type: application/octet-stream\r\n\r\n',
    ].join('');
    const TAIL = '\r\n--x--\r\n';

    /** Begins an upload; its body is up to the caller. */
    function begin({ token = TOKEN, headers = {} }: FormOptions = {}): ClientRequest {
      const upload = request(`${api.server.info.uri}${PATH}?clientId=acme`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'multipart/form-data; boundary=x',
          ...headers,
        },
      });
      return upload;
    }

    /** Sends all of a form, whatever is answered on the way; fails when the connection does. */
    async function sendAll(bytes: number, options?: FormOptions): Promise<{ status: number; body: unknown }> {
      const upload = begin(options);
      const answered = once(upload, 'response');
      function* form() {
        yield Buffer.from(HEAD);
        for (let rest = bytes; rest > 0; rest -= MB) yield Buffer.alloc(Math.min(rest, MB));
        yield Buffer.from(TAIL);
      }
      Readable.from(form()).pipe(upload);
      const [response]: IncomingMessage[] = await answered;
      if (!response) throw new Error('there was no answer');
      return { status: response.statusCode ?? 0, body: await json(response) };
    }

    it('accepts files of 128 MB', async () => {
      const sizes: number[] = [];
      around(async (take) => {
        const file = await take();
        sizes.push(file.size);
        return file;
      });
      expect((await sendAll(LIMITS.uploadBytes)).status).to.equal(200);
      expect(sizes).to.deep.equal([LIMITS.uploadBytes]);
    });

    it('refuses a larger file, and leaves nothing on the disk', async () => {
      const { status, body } = await sendAll(LIMITS.uploadBytes + 1);
      expect([status, body]).to.deep.equal([
        413,
        { error: `file must have ${LIMITS.uploadBytes} bytes at most` },
      ]);
    });

    it('refuses a file that announces a larger size', async () => {
      const bytes = LIMITS.uploadBytes + 2 * MB;
      const headers = { 'content-length': String(HEAD.length + bytes + TAIL.length) };
      const { status, body } = await sendAll(bytes, { headers });
      expect([status, body]).to.deep.equal([
        413,
        { error: `the request body is larger than ${LIMITS.uploadBytes + MB} bytes` },
      ]);
    });

    it('refuses an unauthorized client that has sent the whole file', async () => {
      const { status } = await sendAll(8 * MB, { token: 'wrong' });
      expect(status).to.equal(401);
    });

    it('refuses an unauthorized client before the upload, if it waits for the answer', async () => {
      const upload = begin({ token: 'wrong', headers: { expect: '100-continue' } });
      upload.flushHeaders();
      upload.once('continue', () => expect.fail('it was told to go on'));
      const [response]: IncomingMessage[] = await once(upload, 'response');
      expect(response?.statusCode).to.equal(401);
      upload.on('error', () => undefined).destroy();
    });

    it('leaves nothing on the disk of an interrupted upload', async () => {
      const upload = begin();
      const taken = new Promise<unknown>((resolve) => {
        around((take, stream) => {
          const file = take();
          resolve(file.catch((error) => error));
          stream.once('data', () => upload.destroy());
          return file;
        });
      });
      upload.on('error', () => undefined);
      upload.write(HEAD);
      upload.write(Buffer.alloc(MB));
      expect(await taken).to.be.an('error');
      expect(api.network.sent).to.deep.equal([]);
    });

    it('reads at the pace of the consumer', async () => {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      around(async (take) => {
        await opened;
        return take();
      });
      const upload = begin();
      upload.write(HEAD);
      let waiting = 0;
      while (upload.write(Buffer.alloc(MB)) || (await drains(upload))) waiting += 1;
      expect(waiting).to.be.lessThan(64);
      open();
      upload.end(TAIL);
      const [response]: IncomingMessage[] = await once(upload, 'response');
      expect(response?.statusCode).to.equal(200);
      response?.resume();
    });
  });
});

interface FormOptions {
  query?: string;
  token?: string;
  headers?: Record<string, string>;
}

/** Whether a request with a full buffer drains within 300 ms; otherwise the server applies back-pressure. */
async function drains(upload: ClientRequest): Promise<boolean> {
  const signal = AbortSignal.timeout(300);
  return once(upload, 'drain', { signal }).then(
    () => true,
    () => false,
  );
}
