import type { LookupFunction } from 'node:net';
import { expect } from 'chai';
import { Agent } from 'undici';
import { GatewayError } from '../../../src/domain/errors.js';
import {
  isPublicAddress,
  PrivateAddressError,
  requirePublicUrl,
} from '../../../src/gateway/delivery/guard.js';
import { guardedConnector } from '../../../src/gateway/delivery/guarded-agent.js';
import { inWords } from '../../support/reasons.js';
import { startReceiver, type TestReceiver } from '../../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../../support/rig/deliveries.js';
import { Rig } from '../../support/rig/rig.js';

/** A resolver that knows one name. As the system's, it gives all addresses only when it is asked for all. */
function resolving(...addresses: { address: string; family: number }[]): LookupFunction {
  return (_host, { all }, callback) => callback(null, all ? addresses : (addresses[0]?.address ?? ''), 4);
}

describe('the guard against calls into private networks', () => {
  let rig: PlayedDeliveries;
  let receiver: TestReceiver;

  beforeEach(async () => {
    rig = (await Rig.start()).deliveries({ allowPrivate: false });
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await rig.close();
    await receiver.stop();
  });

  const refused = [
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '0.0.0.0',
    '[::]',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fe80::1]',
    '[fd00::1]',
  ];
  for (const host of refused) {
    it(`refuses ${host} for good, before any connection`, async () => {
      const url = `http://${host}:${receiver.port}/`;
      const result = await rig.dispatcher.announce(textEvent(), { url, token: '' });
      expect(result.delivered).to.equal(false);
      expect(inWords(result).reason).to.match(/loopback, link-local, private or reserved/);
      expect(rig.counted).to.deep.equal({ attempts: ['rejected'], drops: ['rejected'] });
      expect(receiver.calls).to.deep.equal([]);
    });
  }

  const addresses: [string, boolean][] = [
    ['8.8.8.8', true],
    ['172.32.0.1', true],
    ['2606:4700::1111', true],
    ['::ffff:8.8.8.8', true],
    ['172.31.255.255', false],
    // the metadata service of Azure
    ['168.63.129.16', false],
    ['::ffff:168.63.129.16', false],
    ['192.0.2.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['fe80::1%eth0', false],
    ['2002:7f00:1::', false],
    ['2001:db8::1', false],
    ['::7f00:1', false],
    ['ff02::1', false],
    ['', false],
    ['no address', false],
  ];
  for (const [address, isPublic] of addresses) {
    it(`counts ${address || 'nothing'} as ${isPublic ? 'public' : 'not public'}`, () => {
      expect(isPublicAddress(address)).to.equal(isPublic);
    });
  }

  const urls: [string, boolean][] = [
    ['', true],
    ['https://receiver.example/a', true],
    ['https://localhost.example/', true],
    ['https://8.8.8.8/', true],
    ['https://[2606:4700::1111]/', true],
    ['https://localhost:8443/', false],
    ['https://localhost./', false],
    ['https://a.localhost/', false],
    ['https://10.0.0.1/', false],
    ['https://[::1]/', false],
  ];
  for (const [url, isAccepted] of urls) {
    it(`${isAccepted ? 'accepts' : 'refuses'} ${url || 'no address'} as it is written`, () => {
      const check = () => requirePublicUrl('webhook', url);
      if (isAccepted) expect(check).not.to.throw();
      else expect(check).to.throw(GatewayError, /^webhook: .* private or reserved address/);
    });
  }

  const call = async (lookup: LookupFunction, allowPrivate = false) => {
    const connect = guardedConnector({ allowPrivate, timeoutMs: 1_000, lookup });
    const agent = new Agent({ connect });
    try {
      const { statusCode, body } = await agent.request({
        origin: `http://receiver.example:${receiver.port}`,
        path: '/',
        method: 'POST',
      });
      await body.dump();
      return statusCode;
    } catch (error) {
      return error;
    } finally {
      await agent.destroy();
    }
  };

  it('refuses a host name with one private address', async () => {
    const lookup = resolving({ address: '8.8.8.8', family: 4 }, { address: '127.0.0.1', family: 4 });
    expect(await call(lookup)).to.be.instanceOf(PrivateAddressError);
    expect(receiver.calls).to.deep.equal([]);
  });

  it('checks the address of a resolver that returns it as text', async () => {
    const lookup: LookupFunction = (_host, _options, callback) => callback(null, '127.0.0.1', 4);
    expect(await call(lookup)).to.be.instanceOf(PrivateAddressError);
    expect(receiver.calls).to.deep.equal([]);
  });

  it('asks the resolver once, and connects to the address that was checked', async () => {
    let asked = 0;
    const lookup: LookupFunction = (host, options, callback) => {
      asked += 1;
      resolving({ address: asked > 1 ? '8.8.8.8' : '127.0.0.1', family: 4 })(host, options, callback);
    };
    expect(await call(lookup)).to.be.instanceOf(PrivateAddressError);
    expect(asked).to.equal(1);
  });

  it('allows every address when private addresses are allowed', async () => {
    expect(await call(resolving({ address: '127.0.0.1', family: 4 }), true)).to.equal(200);
  });

  it('names the host that could not be resolved', async () => {
    const lookup: LookupFunction = (host, _options, callback) => {
      callback(Object.assign(new Error(`ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []);
    };
    expect(await call(lookup))
      .to.be.an('error')
      .with.property('message', 'ENOTFOUND receiver.example');
  });
});
