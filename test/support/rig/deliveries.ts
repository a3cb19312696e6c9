import type { EventEnvelope } from '../../../src/contract/events/envelope.js';
import type { TailEntry } from '../../../src/contract/events/stream-entry.js';
import {
  type DeliveryObserver,
  Dispatcher,
  type DispatcherOptions,
} from '../../../src/gateway/delivery/dispatch.js';
import { Tail } from '../../../src/gateway/delivery/tail.js';
import { createLog } from '../../../src/gateway/log.js';
import type { Store } from '../../../src/gateway/store/store.js';
import type { ManualClock } from '../manual-clock.js';
import type { Rig } from './rig.js';

/** A dispatcher with everything around it: a real store, a tail, a log, and a clock that stands still. */
export interface PlayedDeliveries {
  dispatcher: Dispatcher;
  store: Store;
  tail: Tail;
  clock: ManualClock;
  /** What the tail has shown. */
  shown: TailEntry[];
  /** Lines of the log, as JSON text. */
  logged: string[];
  /** What was counted: outcomes of attempts, and causes of drops. */
  counted: { attempts: string[]; drops: string[] };
  /** Another dispatcher over the same store, as after a restart; its caller stops it. */
  restarted(): Dispatcher;
  close(): Promise<void>;
}

/** Builds one; the middle of the jitter is drawn, so that retries come after exactly 500, 1000 and 2000 ms. */
export function deliveriesOver(base: Rig, options: Partial<DispatcherOptions>): PlayedDeliveries {
  const { store, clock } = base;
  const tail = new Tail(clock.now());
  const shown: TailEntry[] = [];
  tail.listen(({ entry }) => shown.push(entry));
  const logged: string[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => void logged.push(line) },
  });
  const counted: PlayedDeliveries['counted'] = { attempts: [], drops: [] };
  const observe: DeliveryObserver = {
    attempt: (_clientId, { outcome }) => counted.attempts.push(outcome),
    dropped: (_clientId, cause) => counted.drops.push(cause),
  };
  const settings: DispatcherOptions = {
    failed: store.failedDeliveries,
    waiting: store.waitingDeliveries,
    receivers: { receiverOf: () => undefined },
    tail,
    allowPrivate: true,
    clock,
    log,
    observe,
    random: () => 0.5,
    ...options,
  };
  const dispatcher = new Dispatcher(settings);
  return {
    dispatcher,
    store,
    tail,
    clock,
    shown,
    logged,
    counted,
    restarted: () => new Dispatcher(settings),
    async close() {
      await dispatcher.stop(0);
      await base.close();
    },
  };
}

/** A text event; `messageId` tells several apart. */
export function textEvent(messageId = '3EB0000000000000000001', clientId = 'acme'): EventEnvelope {
  return {
    event: 'message.received',
    type: 'text',
    clientId,
    orgId: '',
    timestamp: '2026-01-02T03:04:05.000Z',
    chatRoomId: `${clientId}-90000000000001-90000000000002`,
    myLid: '90000000000001',
    clientLid: '90000000000002',
    remoteJid: '90000000000002@lid',
    remoteName: 'Bob',
    remotePhone: '+15550000002',
    remoteUsername: '',
    pushName: 'Bob',
    avatarUrl: '',
    fromMe: false,
    isGroup: false,
    messageId,
    body: 'Grüße 👋',
    mentions: [],
    isForwarded: false,
  };
}
