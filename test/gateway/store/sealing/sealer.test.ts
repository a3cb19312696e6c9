import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import type { DataKeys } from '../../../../src/gateway/store/sealing/data-keys.js';
import { seal, unseal } from '../../../../src/gateway/store/sealing/envelope.js';
import { SEALED, type SealedFields } from '../../../../src/gateway/store/sealing/fields.js';
import { sealStore } from '../../../../src/gateway/store/sealing/sealed-store.js';
import { cachedSealers } from '../../../../src/gateway/store/sealing/sealer.js';
import { openSqliteBackend } from '../../../../src/gateway/store/sqlite/store.js';
import type { Backend, Store } from '../../../../src/gateway/store/store.js';
import { picture } from '../../../contracts/store/contacts.js';
import {
  bytes,
  entry,
  failed,
  idempotent,
  keptEvent,
  message,
  newFile,
  pendingChange,
  roomUpdate,
  sent,
  session,
  text,
  trace,
  waiting,
} from '../../../contracts/store/harness.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { SECRETS } from '../support/secrets.js';

const KEY = createSecretKey(new Uint8Array(32).fill(1));
const PLACE = ['acme', 'keys', 'session', '1.0'];

describe('sealed values', () => {
  it('sealed values decrypt to the original, also if it is empty', () => {
    for (const plain of ['', 'x', 'long '.repeat(10_000)]) {
      expect(text(unseal(KEY, PLACE, seal(KEY, PLACE, bytes(plain))))).to.equal(plain);
    }
  });

  it('sealed values open in the place that the database returns for an id that is no text of UTF-8', () => {
    for (const id of ['\ud800', 'a\udc00b', '\ud800\ud800', '👍', '\\ud800']) {
      const returned = Buffer.from(id).toString();
      expect(text(unseal(KEY, ['acme', returned], seal(KEY, ['acme', id], bytes('x'))))).to.equal('x');
    }
    expect(() => unseal(KEY, ['\\\ufffd'], seal(KEY, ['\\ud800'], bytes('x')))).to.throw();
  });

  it('sealed values differ each time', () => {
    const seen = new Set(Array.from({ length: 50 }, () => seal(KEY, PLACE, bytes('x')).toString('hex')));
    expect(seen.size).to.equal(50);
  });

  it('sealed values are rejected under another key or in another place', () => {
    const sealed = seal(KEY, PLACE, bytes('x'));
    const otherKey = createSecretKey(new Uint8Array(32).fill(2));
    expect(() => unseal(otherKey, PLACE, sealed)).to.throw();
    const elsewhere = [
      ['other', 'keys', 'session', '1.0'],
      ['acme', 'keys', 'session', '1.1'],
      ['acme', 'keys', 'session,1.0'],
      ['acme', 'keys', 'session1', '.0'],
    ];
    for (const place of elsewhere) expect(() => unseal(KEY, place, sealed), place.join('/')).to.throw();
  });

  it('sealed values are rejected when any byte was changed or is missing', () => {
    const sealed = seal(KEY, PLACE, bytes('secret'));
    for (let position = 0; position < sealed.length; position += 1) {
      const changed = Buffer.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      expect(() => unseal(KEY, PLACE, changed), `byte ${position}`).to.throw();
      expect(() => unseal(KEY, PLACE, sealed.subarray(0, position)), `first ${position}`).to.throw();
    }
  });
});

/** For each sealed field, where its value is bound to. */
function placesOf<R>(sealed: SealedFields<R>, record: R): Record<string, readonly string[]> {
  const places: Record<string, readonly string[]> = {};
  for (const field in sealed) places[field] = sealed[field]?.(record) ?? [];
  return places;
}

describe('the stored format of sealed values', () => {
  it('opens a value that an earlier release sealed', () => {
    const sealed = '0164a4c828eb026a29d7447ecb49d9f76adc6e2d40436d5f40d609b6faee55b80e19';
    expect(text(unseal(KEY, PLACE, Buffer.from(sealed, 'hex')))).to.equal('hello');
  });

  it('binds each field to the place of earlier releases, which stored values need to open', () => {
    const room = { chatRoomId: 'R', name: 'Ann', lastMessageId: 'M', lastMessage: 'shown' };
    const places = {
      sessions: placesOf(SEALED.sessions, session('acme')),
      credentials: placesOf(SEALED.credentials, {}),
      keys: placesOf(SEALED.keys, { type: 'session', id: '1.0', value: bytes('x') }),
      journal: placesOf(SEALED.journal, entry('J')),
      sends: placesOf(SEALED.sends, sent('M', { to: 'T' })),
      idempotency: placesOf(SEALED.idempotency, { key: 'K', answer: '' }),
      traces: placesOf(SEALED.traces, trace('M')),
      rooms: placesOf(SEALED.rooms, room),
      messages: placesOf(SEALED.messages, message('M', { chatRoomId: 'R' })),
      pendingChanges: placesOf(SEALED.pendingChanges, pendingChange('M', { chatRoomId: 'R', targetId: 'T' })),
      files: placesOf(SEALED.files, newFile({ id: 'F' })),
      pictures: placesOf(SEALED.pictures, picture({ jid: 'P' })),
      fullPictures: placesOf(SEALED.pictures, picture({ jid: 'P', preview: false })),
      failedDeliveries: placesOf(SEALED.failedDeliveries, failed('D')),
      waitingDeliveries: placesOf(SEALED.waitingDeliveries, waiting('D')),
      keptEvents: placesOf(SEALED.keptEvents, keptEvent('E')),
      failedOfOther: placesOf(SEALED.failedDeliveries, failed('D', { receiver: '2' })),
      waitingForOther: placesOf(SEALED.waitingDeliveries, waiting('D', { receiver: '2' })),
    };
    expect(places).to.deep.equal({
      sessions: {
        webhookUrl: ['sessions', 'webhookUrl'],
        webhookToken: ['sessions', 'webhookToken'],
        previousToken: ['sessions', 'previousToken', '1700000000003'],
        pollLookupUrl: ['sessions', 'pollLookupUrl'],
        receivers: ['sessions', 'receivers'],
        proxy: ['sessions', 'proxy'],
        apiSecretHash: ['sessions', 'apiSecretHash'],
      },
      credentials: { credentials: ['credentials'] },
      keys: { value: ['keys', 'session', '1.0'] },
      journal: { plain: ['journal', 'plain', 'J'], stanza: ['journal', 'stanza', 'J'] },
      sends: {
        content: ['sends', 'content', 'M', 'T'],
        metaData: ['sends', 'metaData', 'M'],
        fileName: ['sends', 'fileName', 'M'],
        held: ['sends', 'held', 'M', 'T'],
        audience: ['sends', 'audience', 'M', 'T'],
      },
      idempotency: { answer: ['idempotency', 'answer', 'K'] },
      traces: { secret: ['traces', 'secret', 'M'] },
      rooms: { name: ['rooms', 'name', 'R'], lastMessage: ['messages', 'text', 'R', 'M'] },
      messages: {
        body: ['messages', 'text', 'R', 'M'],
        extras: ['messages', 'inside', 'R', 'M'],
        content: ['messages', 'content', 'R', 'M'],
      },
      pendingChanges: { change: ['pending-changes', 'R', 'T', 'M'] },
      files: { fileName: ['files', 'fileName', 'F'], caption: ['files', 'caption', 'F'] },
      pictures: { url: ['pictures', 'url', 'P', 'preview'] },
      fullPictures: { url: ['pictures', 'url', 'P', 'full'] },
      failedDeliveries: { url: ['failed-deliveries', 'url', 'D'], body: ['failed-deliveries', 'body', 'D'] },
      waitingDeliveries: { body: ['waiting-deliveries', 'body', 'D'] },
      keptEvents: { body: ['kept-events', 'body', 'E'] },
      failedOfOther: {
        url: ['failed-deliveries', 'url', 'D', '2'],
        body: ['failed-deliveries', 'body', 'D', '2'],
      },
      waitingForOther: { body: ['waiting-deliveries', 'body', 'D', '2'] },
    });
  });
});

/** Data keys in memory that record requests; `all` answers on request. */
class AskedKeys implements Pick<DataKeys, 'of' | 'all'> {
  readonly asked: string[] = [];
  readonly #keys = new Map<string, KeyObject>();
  answer: Promise<void> = Promise.resolve();

  async of(clientId: string): Promise<KeyObject> {
    this.asked.push(clientId);
    return this.#key(clientId);
  }

  async all(): Promise<Map<string, KeyObject>> {
    this.asked.push('*');
    const keys = new Map(['a', 'b', 'c'].map((clientId) => [clientId, this.#key(clientId)]));
    await this.answer;
    return keys;
  }

  /** Deletes and recreates the session. */
  renew(clientId: string): void {
    this.#keys.delete(clientId);
  }

  #key(clientId: string): KeyObject {
    const key = this.#keys.get(clientId) ?? createSecretKey(randomBytes(32));
    this.#keys.set(clientId, key);
    return key;
  }
}

describe('remembered sealers', () => {
  const place = ['sessions', 'x'] as const;

  it('read the store once for many sessions, and not at all for known ones', async () => {
    const keys = new AskedKeys();
    const sealers = cachedSealers(keys, 60_000);
    await sealers.readAhead(['a', 'b', 'c']);
    await Promise.all(['a', 'b', 'c'].map((clientId) => sealers.of(clientId)));
    await sealers.readAhead(['a', 'b', 'c']);
    expect(keys.asked).to.deep.equal(['*']);
    sealers.drop('b');
    await sealers.readAhead(['a', 'b', 'c']);
    await sealers.of('b');
    expect(keys.asked).to.deep.equal(['*', 'b']);
  });

  it('never adopt a key that was read before its session was dropped', async () => {
    const keys = new AskedKeys();
    const sealers = cachedSealers(keys, 60_000);
    let release: () => void = () => undefined;
    keys.answer = new Promise((resolve) => {
      release = resolve;
    });
    const reading = sealers.readAhead(['a', 'b']);
    keys.renew('a');
    sealers.drop('a');
    release();
    await reading;
    const fresh = cachedSealers(keys, 60_000);
    const sealed = (await fresh.of('a')).sealText(place, 'secret');
    expect((await sealers.of('a')).openText(place, sealed)).to.equal('secret');
  });
});

/** `SECRETS` as version 2026-11 sealed them. Never regenerate these: they prove that existing stores stay readable. */
const VALUES = {
  storeKey: 'Ab+zGcjAyl1QAwiAOwhGGlFtmQkVHYWCxpbMjcAgujNBA/3cEewSfhj3qQN++sFw8uaoyR+raMGELrQkYg==',
  dataKey: 'Ab9bw+rr6MC1wELFkA4b/hMnQ+6rYewpYXoTZon3DYA1REhTUg67Gvty1x5WPgWhazMcfkP12EEgbb/HnA==',
  webhookUrl: 'AR9W8NEcz18KNYbU4OowhFQc0cmm+ByLQ8DieOpUS3ghWukLLS8w0+Qr4T5V+5jVN021pH1HxLMcZWXurSU7',
  webhookToken: 'AcVLe5Qutu1nwLTeykNnWnIp3aSzwBhDfzhYAtNeWsS4b3qV5p9PvZ9jb48oDQblRw==',
  pollLookupUrl: 'AZBfzqnlzHEVtuKMjsAHiaE4P+URk2UqpVu1GvK3r16kCk2G2FvnvzKAPyufeZq+s4hWg1OERvlinbc7NPSi',
  credentials: 'Ae9kj0JySSkRcM9q+AMd3zn8GnNHwrf/ZFuItxA8OoO5F0JJYJYaBD8OJmUWqfI=',
  key: 'AXia96okG+EEDUdlatZ4G1fqt8dENF8/R6iCVhf7b7qRyjEC9uEp1zrx/hiBEw==',
  plain: 'AbeOcQAqZQZY9NP5muig2/IqxSoh0BH+Ixxr+Cw5k1Gp3FZuR87h2uw4DTyL',
  stanza: 'AZlNq3I1kcaVH/8Hx+9QK31i5mKJrDkIKphN/RpLA6JtTsooQiAaIfk9',
  sentContent: 'ASYegdc37ZCWJJwogiDXDQArvuZOBvASQUso5YBrzfBFpxb+Q3VjFBTX4THGTR8u',
  metaData: 'AdAxgiGAsfKyNvivxOEQ5WyjnUoTB17BVsKgBqqinZXHYfffm8w9yDiiqJUF',
  answer: 'AQIoMmtnCsEnnLsmIiDWxzIw7kfpAkcKlMqiFTf7xe8PaFxeI6a8ZnqY',
  traceSecret: 'AQjGO3oscdSwnGOiNUo0S74IBiXrEEvlFdrVqclMyfFfiR2S9leIhCkzcHTb66aV',
  body: 'Ab3r2ApdM/zru/E1acP8PRUXe1KrynfME5RvjtOFaLSstZkihpLtBmuReV6x8zQ=',
  inside:
    'AZf4tC2V+N80ozEU/3AFK03h7UJVnY9i/BJsQ4nfj9OULdpuSDcuDhCrulT0znRdmwsESBZ9JZ1X6L08e4OSxymRnzIerA7Nzc4rvh9e26PmXWyKSHDR0uon2uJpsj10P50OrwlHh3p2uf0pz1llZIR0Lnp3sAP8NkzHpjv2IujUTDDx5aGPTIbIh+zMXBo6k79dcnwVwWDgNcW3Hbw/C3DeabC2ZHho0a/92hJx1P4BrnwFZZVRACs9NnEMIA==',
  messageContent: 'AdjYwFMHmCtGfCBbW8juHpOGiJJm7nuOPTXOobKf10TM6SZrEUDmCvBCb6XsOR6XOrwg',
  roomName: 'AVq6id2dKMSHCdoTSEKIHrIRwxunN3lWCcdutFAINGcyT3WBXmbhz/hAHgYsW4ozqnj0hTc=',
  pendingChange: 'AXmoLyfg6rE4eAlht+XMwqrMarPd54/kTk62kAQUIWfsc87rC0h64SJHhhf5r0W5KlgX/Ts6qOiYBEXI1g==',
  fileId: '2b54d47c-8525-494d-9ad1-1dde80f0387b',
  fileName: 'AV2ntg5c4OlYX89QLBZaqCHNNgMFMMe+oxOSW3GGvI9/les+aEUSJtdJL7fiKhJ3kizoFw==',
  caption: 'AdF0oAOoN4FEeDYG6dt65duPdu7C68r9VoM0xp9LTHPnDDKeiRwWjtR12A==',
  pictureUrl: 'AYnnxB6Ok3CIyLmtM8iKOJu46BMPctsmdXOBElD7FL0d5OAG8DmtVkemSBk0tkjQ2BGh71TIy7kQ8DZYY6VA',
  failedUrl: 'ATcOJlMy+s/dIGpwWV9E/MjKcfZoUW9SBjAsW/zkpv0x6cgbox1ozbPufnbtW7wjbfMgiZ+BaCWdeH9GAXcc',
  failedBody: 'AdyrKDPjVPykWjORo861ij5O5/tVwOTCYKdgulxqmEKnhi1f8t36aW3Q7Y+g0vg=',
};

const binary = (base64: string): Uint8Array => Buffer.from(base64, 'base64');

describe('a store that an earlier version sealed', () => {
  let dir: TempDir;
  let backend: Backend;
  let store: Store;
  beforeEach(async () => {
    dir = await makeTempDir();
    backend = await openSqliteBackend({ dataDir: dir.path });
    await backend.dataKeys.putIfAbsent('', binary(VALUES.storeKey));
    await backend.dataKeys.putIfAbsent('acme', binary(VALUES.dataKey));
    const { webhookUrl, webhookToken, pollLookupUrl } = VALUES;
    const texts = { webhookUrl, webhookToken, pollLookupUrl, proxy: '', previousToken: null };
    await backend.sessions.create(session('acme', texts));
    store = await sealStore(backend, bytes(SECRETS.encryptionKey));
  });
  afterEach(async () => {
    await store.close();
    await dir.remove();
  });

  it('decrypts the secrets of a session, its keys and its journal', async () => {
    await backend.keys.commit('acme', {
      credentials: binary(VALUES.credentials),
      keys: [{ type: 'session', id: 'a', value: binary(VALUES.key) }],
      journal: [entry('h1', { plain: binary(VALUES.plain), stanza: binary(VALUES.stanza) })],
    });
    expect(await store.sessions.get('acme')).to.include({
      webhookUrl: SECRETS.webhookUrl,
      webhookToken: SECRETS.changedToken,
      pollLookupUrl: SECRETS.pollLookupUrl,
      apiSecretHash: 'salt:hash',
    });
    expect(text(await store.keys.credentials('acme'))).to.equal(SECRETS.credentials);
    expect(text((await store.keys.get('acme', 'session', ['a'])).get('a'))).to.equal(SECRETS.key);
    const opened = await store.journal.get('acme', 'h1');
    expect([text(opened?.plain), text(opened?.stanza)]).to.deep.equal([SECRETS.plain, SECRETS.stanza]);
  });

  it('decrypts own messages, answers and traces', async () => {
    const { metaData, answer } = VALUES;
    await backend.sends.put(
      'acme',
      sent('M1', { content: binary(VALUES.sentContent), metaData, fileName: '' }),
    );
    await backend.idempotency.claim('acme', idempotent('k1', { answer }));
    await backend.traces.add('acme', trace('M1', { secret: binary(VALUES.traceSecret) }));
    const record = await store.sends.get('acme', 'M1');
    expect([text(record?.content), record?.metaData]).to.deep.equal([SECRETS.content, SECRETS.metaData]);
    expect((await store.idempotency.claim('acme', idempotent('k1'))).answer).to.equal(SECRETS.answer);
    expect(text((await store.traces.get('acme', 'M1'))?.secret)).to.equal(SECRETS.traceSecret);
  });

  it('decrypts the history', async () => {
    const { body, inside, messageContent, roomName, pendingChange: change } = VALUES;
    await backend.history.record(
      'acme',
      roomUpdate({ name: roomName, lastMessage: body }),
      message('M1', {
        body,
        pushname: '',
        media: undefined,
        extras: { sealed: inside },
        content: binary(messageContent),
      }),
    );
    await backend.history.addPending('acme', pendingChange('C1', { change: { sealed: change } }));
    const found = await store.history.message('acme', 'acme-1-2', 'M1');
    expect(found).to.deep.include({
      body: SECRETS.editedBody,
      pushname: SECRETS.pushname,
      media: { mimeType: 'image/jpeg', mediaType: 'image', fileName: SECRETS.fileName, fileSize: 7 },
      extras: { note: SECRETS.extras },
    });
    expect(text(found?.content)).to.equal(SECRETS.messageContent);
    expect(await store.history.room('acme', 'acme-1-2')).to.include({
      name: SECRETS.changedRoomName,
      lastMessage: SECRETS.editedBody,
    });
    const [pending] = await store.history.pending('acme', 'acme-1-2', 'M1');
    expect(pending?.change).to.deep.equal({ body: SECRETS.pendingChange });
  });

  it('decrypts file names, picture URLs and failed deliveries', async () => {
    const { fileId: id, fileName, caption, pictureUrl, failedUrl, failedBody } = VALUES;
    await backend.files.write(newFile({ id, fileName, caption }), Readable.from([bytes('x')]));
    await backend.pictures.put('acme', picture({ url: pictureUrl }));
    await backend.failedDeliveries.add(failed('01A', { url: failedUrl, body: failedBody }), 10);
    expect(await store.files.get(id)).to.include({
      fileName: SECRETS.storedFileName,
      caption: SECRETS.caption,
    });
    const { jid, preview } = picture();
    expect((await store.pictures.get('acme', jid, preview))?.url).to.equal(SECRETS.pictureUrl);
    expect(await store.failedDeliveries.get('01A')).to.include({
      url: SECRETS.failedUrl,
      body: SECRETS.failedBody,
    });
  });
});
