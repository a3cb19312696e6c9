import type { EventType } from '../../src/contract/events/catalogue.js';
import { sampleEvent } from '../../src/contract/events/sample.js';
import { newDeliveryId } from '../../src/domain/ids.js';
import type { DaemonOverrides } from '../../src/gateway/daemon/daemon.js';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';

/** Not the invented person of samples. */
const SOMEBODY = '90000000000077';

/** Puts events that their receiver has refused into the store of a daemon in this process. */
export class FailedEvents {
  #store: SealedStore | undefined;
  #count = 0;

  /** For the daemon. */
  get overrides(): Required<Pick<DaemonOverrides, 'aroundStore'>> {
    return {
      aroundStore: (store) => {
        this.#store = store;
        return store;
      },
    };
  }

  /** @param event as a daemon of an earlier release has kept it; a real one by default. @returns its id */
  async add(
    clientId: string,
    type: EventType,
    { url = 'https://example.com/hook', event = realEvent(clientId, type) } = {},
  ): Promise<string> {
    if (!this.#store) throw new Error('the daemon has not started');
    this.#count += 1;
    const id = newDeliveryId();
    const failure = { url, type, reason: 'answered 410', attempts: 1, failedAt: Date.now() + this.#count };
    const messageId = 'messageId' in event ? String(event.messageId) : '';
    await this.#store.failedDeliveries.add(
      { id, clientId, messageId, ...failure, body: JSON.stringify(event) },
      1_000,
    );
    return id;
  }
}

/** A sample, as `/send-test-event` makes it. */
export function sampleOf(clientId: string, type: EventType): object {
  return sampleEvent(type, { clientId, orgId: '', myLid: '', at: Date.now() });
}

function realEvent(clientId: string, type: EventType): object {
  return { ...sampleOf(clientId, type), clientLid: SOMEBODY };
}
