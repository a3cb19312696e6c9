import { randomBytes } from 'node:crypto';
import { type DeliveryObserver, Dispatcher, type DispatcherOptions } from '../../src/delivery/dispatch.js';
import { Tail, type TailEntry } from '../../src/delivery/tail.js';
import type { EventEnvelope } from '../../src/events/envelope.js';
import { createLog } from '../../src/log.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir } from '../support/temp-dir.js';

/** A dispatcher with everything around it: a real store, a tail, a log, and a clock that stands still. */
export interface Rig {
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
  close(): Promise<void>;
}

/** Builds one; the middle of the jitter is drawn, so that retries come after exactly 500, 1000 and 2000 ms. */
export async function makeRig(options: Partial<DispatcherOptions> = {}): Promise<Rig> {
  const dir = await makeTempDir();
  const store = await openStore({ url: 'sqlite', dataDir: dir.path, encryptionKey: randomBytes(32) });
  const clock = new ManualClock();
  const tail = new Tail(clock.now());
  const shown: TailEntry[] = [];
  tail.listen(({ entry }) => shown.push(entry));
  const logged: string[] = [];
  const log = createLog({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => void logged.push(line) },
  });
  const counted: Rig['counted'] = { attempts: [], drops: [] };
  const observe: DeliveryObserver = {
    attempt: (_clientId, { outcome }) => counted.attempts.push(outcome),
    dropped: (_clientId, cause) => counted.drops.push(cause),
  };
  const dispatcher = new Dispatcher({
    failed: store.failedDeliveries,
    tail,
    allowPrivate: true,
    clock,
    log,
    observe,
    random: () => 0.5,
    ...options,
  });
  return {
    dispatcher,
    store,
    tail,
    clock,
    shown,
    logged,
    counted,
    async close() {
      await dispatcher.stop(0);
      await store.close();
      await dir.remove();
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
