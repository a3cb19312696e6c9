import { setImmediate as otherWork } from 'node:timers/promises';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError, isGatewayError, storeUnavailable } from '../../../domain/errors.js';
import type { Logger } from '../../log.js';

/** A store that is open for a backup. */
interface OpenStore {
  /** Reads only as fast as the caller consumes the bytes. */
  bytes(options: {
    createdAt: string;
    release: string;
    counted: { add(count: number): void };
  }): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** One backup of a node at a time: each holds a snapshot of the database while it runs. */
export function createBackups({
  open,
  release,
  clock,
  log,
}: {
  open(): Promise<OpenStore>;
  release: string;
  clock: Clock;
  log: Logger;
}) {
  let isRunning = false;
  return {
    /**
     * The bytes of a backup, as its file has them: read while sends and messages go on, and only as fast as the caller
     * consumes them. A caller that stops early calls `return()`.
     * @throws backup_running, encryption_key_wrong, store_missing, store_unavailable
     */
    async *backUp(): AsyncGenerator<Uint8Array, void> {
      if (isRunning) {
        throw new GatewayError(
          'backup_running',
          'A backup is running on this node: wait until it has ended.',
        );
      }
      isRunning = true;
      let bytes = 0;
      let isWhole = false;
      try {
        // the caller must not learn where the store is
        const store = await open().catch((error: unknown) => {
          throw isGatewayError(error, 'store_unavailable') ? storeUnavailable(error) : error;
        });
        try {
          const createdAt = new Date(clock.now()).toISOString();
          for await (const piece of store.bytes({ createdAt, release, counted: UNCOUNTED })) {
            bytes += piece.length;
            yield piece;
            // a fast caller would otherwise hold up sends and messages
            await otherWork();
          }
          isWhole = true;
        } finally {
          await store.close();
        }
      } finally {
        isRunning = false;
        log.info({ bytes, isWhole }, 'backup ended');
      }
    },
  };
}

const UNCOUNTED = { add: () => undefined };
