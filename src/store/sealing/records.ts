import { isGatewayError } from '../../domain/errors.js';
import type { SentRecord } from '../store.js';
import { openFields, SEALED, SEALED_BEFORE, type SealedFields, sealFields } from './fields.js';
import type { Sealer, Sealers } from './sealer.js';

/**
 * Seals and opens records with the data key of their session. The first use of a session's sealer creates its data key, so
 * nothing asks for the sealer of a session that has no records.
 */
export class SealedRecords {
  readonly #sealers: Sealers;

  constructor(sealers: Sealers) {
    this.#sealers = sealers;
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

  async found<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    record: R | undefined,
  ): Promise<R | undefined> {
    return record && this.open(clientId, fields, record);
  }

  async all<F extends object, R extends F>(
    clientId: string,
    fields: SealedFields<F>,
    records: readonly R[],
  ): Promise<R[]> {
    return this.map(clientId, records, (sealer, record) => openFields(sealer, fields, record));
  }

  /** Records of several sessions. */
  each<F extends object, R extends F & { clientId: string }>(
    fields: SealedFields<F>,
    records: readonly R[],
  ): Promise<R[]> {
    return Promise.all(records.map((record) => this.open(record.clientId, fields, record)));
  }

  async map<S, T>(
    clientId: string,
    records: readonly S[],
    open: (sealer: Sealer, record: S) => T,
  ): Promise<T[]> {
    if (records.length === 0) return [];
    const sealer = await this.#sealers.of(clientId);
    return records.map((record) => open(sealer, record));
  }
}
