import { isGatewayError } from '../../../domain/errors.js';
import type { Logger } from '../../log.js';
import type { SentRecord } from '../store.js';
import { openFields, SEALED, SEALED_BEFORE, type SealedFields, sealFields } from './fields.js';
import type { Sealer, Sealers } from './sealer.js';

/** Damaged rows beyond which no further one is logged. */
const MAX_LOGGED = 1_000;

/**
 * Seals and opens records with the data key of their session. The first use of a session's sealer creates its data key, so
 * nothing asks for the sealer of a session that has no records.
 */
export class SealedRecords {
  readonly #sealers: Sealers;
  readonly #log: Logger | undefined;
  /** Damaged rows that the log names already. */
  readonly #logged = new Set<string>();

  constructor(sealers: Sealers, log?: Logger) {
    this.#sealers = sealers;
    this.#log = log;
  }

  async seal<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    record: R,
  ): Promise<R> {
    return sealFields(await this.#sealers.of(clientId), fields, record);
  }

  async open<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    record: R,
  ): Promise<R> {
    return openFields(await this.#sealers.of(clientId), fields, record);
  }

  /** An own message, also one that an earlier release sealed. */
  async sent(clientId: string, record: SentRecord): Promise<SentRecord> {
    return this.open(clientId, SEALED.sends, record).catch((error: unknown) => {
      if (!isGatewayError(error, 'store_damaged')) throw error;
      return this.open(clientId, SEALED_BEFORE.sends, record);
    });
  }

  /** Own messages, without those that were changed or moved. */
  async allSent(clientId: string, records: readonly SentRecord[]): Promise<SentRecord[]> {
    const opened = await Promise.all(
      records.map((record) =>
        this.sent(clientId, record).catch((error: unknown) => {
          this.#noteDamage(clientId, record, error);
          return undefined;
        }),
      ),
    );
    return opened.filter((record) => record !== undefined);
  }

  async found<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    record: R | undefined,
  ): Promise<R | undefined> {
    return record && this.open(clientId, fields, record);
  }

  /** The records that open. One that was changed or moved is logged and left out: it must not stop the others. */
  async all<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    records: readonly R[],
  ): Promise<R[]> {
    const open = (sealer: Sealer, record: R) => openFields(sealer, fields, record);
    return (await this.map<R, R | undefined>(clientId, records, open, () => undefined)).filter(
      (record) => record !== undefined,
    );
  }

  /**
   * Records of a page, whose length tells whether there is a next one.
   * @param instead stands for a record that was changed or moved
   */
  page<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    records: readonly R[],
    instead: (record: R) => R,
  ): Promise<R[]> {
    return this.map(clientId, records, (sealer, record) => openFields(sealer, fields, record), instead);
  }

  /** As `page`, with records of several sessions. */
  each<F extends object, R extends F & { clientId: string }>(
    fields: SealedFields<F>,
    records: readonly R[],
    instead: (record: R) => R,
  ): Promise<R[]> {
    return Promise.all(
      records.map((record) =>
        this.open(record.clientId, fields, record).catch((error: unknown) => {
          this.#noteDamage(record.clientId, record, error);
          return instead(record);
        }),
      ),
    );
  }

  /** @param instead stands for a record that was changed or moved */
  async map<S extends object, T>(
    clientId: string,
    records: readonly S[],
    open: (sealer: Sealer, record: S) => T,
    instead: (record: S) => T,
  ): Promise<T[]> {
    if (records.length === 0) return [];
    const sealer = await this.#sealers.of(clientId);
    return records.map((record) => {
      try {
        return open(sealer, record);
      } catch (error) {
        this.#noteDamage(clientId, record, error);
        return instead(record);
      }
    });
  }

  /** Logs a damaged row, once. @throws the error if it is another one */
  #noteDamage(clientId: string, record: object, error: unknown): void {
    if (!isGatewayError(error, 'store_damaged')) throw error;
    const row = idOf(record);
    const key = `${clientId} ${row} ${error.message}`;
    if (this.#logged.size >= MAX_LOGGED || this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#log?.error({ clientId, row, reason: error.message }, 'a damaged row of the store is left out');
  }
}

function idOf(record: object): string {
  if ('id' in record) return String(record.id);
  if ('messageId' in record) return String(record.messageId);
  return 'chatRoomId' in record ? String(record.chatRoomId) : '';
}
