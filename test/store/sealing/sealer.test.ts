import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { DataKeys } from '../../../src/store/sealing/data-keys.js';
import { rememberedSealers } from '../../../src/store/sealing/sealer.js';

/** Data keys in memory that write down what is asked for; `all` answers when it is told to. */
class AskedKeys implements DataKeys {
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

  /** The session is deleted and made anew. */
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

  it('ask the store once for many sessions, and not at all for those that are known', async () => {
    const keys = new AskedKeys();
    const sealers = rememberedSealers(keys, 60_000);
    await sealers.readAhead(['a', 'b', 'c']);
    await Promise.all(['a', 'b', 'c'].map((clientId) => sealers.of(clientId)));
    await sealers.readAhead(['a', 'b', 'c']);
    expect(keys.asked).to.deep.equal(['*']);
    sealers.drop('b');
    await sealers.readAhead(['a', 'b', 'c']);
    await sealers.of('b');
    expect(keys.asked).to.deep.equal(['*', 'b']);
  });

  it('never take over a key that was read before its session was dropped', async () => {
    const keys = new AskedKeys();
    const sealers = rememberedSealers(keys, 60_000);
    let release: () => void = () => undefined;
    keys.answer = new Promise((resolve) => {
      release = resolve;
    });
    const reading = sealers.readAhead(['a', 'b']);
    keys.renew('a');
    sealers.drop('a');
    release();
    await reading;
    const fresh = rememberedSealers(keys, 60_000);
    const sealed = (await fresh.of('a')).sealText(place, 'secret');
    expect((await sealers.of('a')).openText(place, sealed)).to.equal('secret');
  });
});
