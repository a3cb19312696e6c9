import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { errorMessage } from '../../../src/domain/errors.js';
import { ownersTextOf } from '../../../src/domain/reasons.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import type { LinkFactory } from '../../../src/gateway/link/link.js';
import {
  HIDDEN_HOST,
  makeCertificate,
  startHttpProxy,
  startNoProxy,
  startSocksProxy,
  type TestProxy,
} from '../../support/proxies.js';
import { freePort } from '../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { LinkRig, protoOf, type Session } from './rig.js';

const BOB = '+15550000002';
const BOB_PN = '15550000002@s.whatsapp.net';
const PASSWORD = 's3cret:@/%';
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('a link behind a proxy', () => {
  let rig: LinkRig;
  let factory: LinkFactory;
  let folder: TempDir;
  let picture: string;
  const proxies: Pick<TestProxy, 'stop'>[] = [];

  before(async () => {
    rig = await LinkRig.start();
    folder = await makeTempDir();
    picture = join(folder.path, 'picture.png');
    await writeFile(picture, randomBytes(50_000));
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await rig.network.update(BOB, { picture: PICTURE.toString('base64') });
    // a name that only the proxies resolve: a connection beside them would fail
    const hidden = (url = '') => url.replace('127.0.0.1', HIDDEN_HOST);
    const { url, mediaUrl } = rig.context.network;
    const network = { ...rig.context.network, url: hidden(url), mediaUrl: hidden(mediaUrl) };
    factory = createBaileysLinks({ ...rig.context, network, proxyTimeoutMs: 400 });
  });

  after(async () => {
    await rig.stop();
    for (const proxy of proxies) await proxy.stop();
    await folder.remove();
  });

  async function kept<P extends Pick<TestProxy, 'stop'>>(proxy: Promise<P>): Promise<P> {
    proxies.push(await proxy);
    return proxy;
  }

  async function linked(number: string, proxy: string): Promise<Session> {
    await rig.network.addPhone({ number, name: number });
    const session = rig.session(factory);
    session.proxy = proxy;
    await rig.paired(number, session);
    session.open();
    await session.next('open');
    return session;
  }

  const sendPicture = (session: Session) =>
    session.send(BOB_PN, '', { content: { image: { url: picture } } });

  const KINDS = [
    { name: 'an HTTP proxy', number: '+15550000011', from: '127.0.0.11', start: startHttpProxy },
    {
      name: 'an HTTP proxy that asks for a password',
      number: '+15550000012',
      from: '127.0.0.12',
      user: 'alice',
      start: startHttpProxy,
    },
    { name: 'a SOCKS5 proxy', number: '+15550000013', from: '127.0.0.13', start: startSocksProxy },
    {
      name: 'a SOCKS5 proxy that asks for a password',
      number: '+15550000014',
      from: '127.0.0.14',
      user: 'alice',
      start: startSocksProxy,
    },
  ] as const;

  for (const { name, number, from, start, ...more } of KINDS) {
    it(`${name} carries the WebSocket, files and pictures, and resolves the names of hosts`, async () => {
      const credentials = 'user' in more ? { user: more.user, password: PASSWORD } : {};
      const proxy = await kept(start({ from, ...credentials }));
      const before = (await rig.network.visits()).length;
      const session = await linked(number, proxy.url);
      await sendPicture(session);
      const media = { kind: 'image' as const, mimeType: 'image/png', size: 2_000 };
      const { messageId } = await rig.network.write(BOB, { to: number, media });
      const { message } = await session.next('message', (event) => event.message.messageId === messageId);
      const image = protoOf(message.content).imageMessage;
      const none = new Uint8Array();
      const source = {
        mediaType: 'image' as const,
        url: image?.url ?? '',
        directPath: image?.directPath ?? '',
        mediaKey: image?.mediaKey ?? none,
        fileSha256: image?.fileSha256 ?? none,
        fileEncSha256: image?.fileEncSha256 ?? none,
      };
      expect(await buffer(await factory.download(source, proxy.url))).to.have.length(2_000);
      const seen = await session.link?.people.picture({ kind: 'pn', user: '15550000002' }, false);
      const url = seen && 'url' in seen ? seen.url : '';
      expect((await session.link?.people.fetchPicture(url))?.mimeType).to.equal('image/jpeg');

      const visits = (await rig.network.visits()).slice(before);
      expect(visits.map(({ address }) => address.split(':')[0])).to.deep.equal(visits.map(() => from));
      expect(new Set(visits.map(({ purpose }) => purpose))).to.deep.equal(new Set(['chat', 'media']));
      expect(new Set(proxy.targets.map((target) => target.split(':')[0]))).to.deep.equal(
        new Set([HIDDEN_HOST]),
      );
      expect((await rig.network.device(number, 1)).address).to.match(new RegExp(`^${from}:`));
    });
  }

  const article = (scheme: 'http' | 'socks5') => (scheme === 'http' ? 'an HTTP' : 'a SOCKS5');
  const BROKEN: readonly { name: string; url(): Promise<string>; says: RegExp }[] = [
    {
      name: 'an HTTP proxy that does not know the password',
      url: async () => {
        const { port } = await kept(startHttpProxy({ user: 'alice', password: 'other' }));
        return `http://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
      },
      says: /did not accept the user name and password/,
    },
    {
      name: 'a SOCKS5 proxy that does not know the password',
      url: async () => {
        const { port } = await kept(startSocksProxy({ user: 'alice', password: 'other' }));
        return `socks5://alice:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
      },
      says: /did not accept the user name and password/,
    },
    {
      name: 'a SOCKS5 proxy that asks for a password when there is none',
      url: async () => {
        const { port } = await kept(startSocksProxy({ user: 'alice', password: 'other' }));
        return `socks5://127.0.0.1:${port}`;
      },
      says: /did not accept the user name and password/,
    },
    ...(['http', 'socks5'] as const).flatMap((scheme) => [
      {
        name: `${article(scheme)} proxy that does not listen`,
        url: async () => `${scheme}://127.0.0.1:${await freePort()}`,
        says: /cannot be reached/,
      },
      {
        name: `${article(scheme)} proxy whose name is unknown`,
        url: async () => `${scheme}://proxy.invalid:1080`,
        says: /host name of the proxy cannot be resolved/,
      },
      {
        name: `${article(scheme)} proxy that never answers`,
        url: async () => `${scheme}://127.0.0.1:${(await kept(startNoProxy(undefined))).port}`,
        says: /did not answer in time/,
      },
      {
        name: `${article(scheme)} proxy that answers with garbage`,
        url: async () => `${scheme}://127.0.0.1:${(await kept(startNoProxy('garbage\r\n\r\n'))).port}`,
        says: /something else than its protocol/,
      },
      {
        name: `${article(scheme)} proxy that hangs up`,
        url: async () => `${scheme}://127.0.0.1:${(await kept(startNoProxy(''))).port}`,
        says: /closed the connection before it was open/,
      },
      {
        name: `${article(scheme)} proxy that refuses connections to the network`,
        url: async () => {
          const proxy = await kept(scheme === 'http' ? startHttpProxy() : startSocksProxy());
          proxy.refuseNew(true);
          return proxy.url;
        },
        says: /did not open the connection \((HTTP 5\d\d|SOCKS: NotAllowed)\)/,
      },
    ]),
    {
      name: 'an HTTPS proxy with a certificate that nobody trusts',
      url: async () => (await kept(startHttpProxy({}, await makeCertificate()))).url,
      says: /certificate of the proxy is not trusted/,
    },
  ];

  for (const { name, url, says } of BROKEN) {
    it(`${name} ends the link with a readable reason, and nothing bypasses the proxy`, async () => {
      const session = rig.session(factory);
      session.proxy = await url();
      const before = await rig.network.visits();
      const closed = await session.open().next('closed');
      expect(closed.reason.code).to.equal('proxy_failed');
      expect(ownersTextOf(closed.reason)).to.match(says);
      expect(JSON.stringify(session.events)).not.to.include('s3cret');
      expect(await rig.network.visits()).to.deep.equal(before);
    });
  }

  it('a proxy that refuses new connections fails an upload with a readable reason, while the open link continues', async () => {
    const proxy = await kept(startSocksProxy({ from: '127.0.0.15' }));
    const session = await linked('+15550000015', proxy.url);
    proxy.refuseNew(true);
    const error = await sendPicture(session).catch((reason: unknown) => reason);
    expect(errorMessage(error)).to.match(/^The proxy did not open the connection .*nothing was sent/);
    const { messageId } = await session.send(BOB_PN, 'still here');
    await rig.network.waitForMessage(BOB, (message) => message.messageId === messageId);
    proxy.refuseNew(false);
    await sendPicture(session);
  });

  it('an HTTPS proxy with a trusted certificate carries connections', async () => {
    const { file, ...tls } = await makeCertificate();
    const proxy = await kept(startHttpProxy({ user: 'alice', password: PASSWORD, from: '127.0.0.16' }, tls));
    const { mediaUrl } = rig.context.network;
    // Node.js reads the certificates that it trusts when a process starts
    const script = `
      const { dispatcherOver } = await import(${JSON.stringify(import.meta.resolve('../../../src/gateway/link/baileys/index.ts'))});
      const { request } = await import('undici');
      const dispatcher = dispatcherOver(${JSON.stringify(proxy.url)});
      const { statusCode } = await request(${JSON.stringify(`${mediaUrl}/sw.js`)}, { dispatcher });
      console.log(statusCode);
      process.exit(0);`;
    const args = ['--import', 'tsx', '--input-type=module', '-e', script];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: file };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    expect(stdout.trim()).to.equal('200');
    const [last] = (await rig.network.visits()).slice(-1);
    expect(last).to.deep.include({ purpose: 'version', requests: 1 });
    expect(last?.address).to.match(/^127\.0\.0\.16:/);
  });
});
