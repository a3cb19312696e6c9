import type { SessionRecord, SessionStore } from '../store.js';
import type { Sealer, Sealers } from './sealer.js';

/** The token, and the addresses, because people put tokens into those too. */
const SECRETS = ['webhookUrl', 'webhookToken', 'pollLookupUrl'] as const;

/** Seals the secrets among a session's settings. */
export function sealedSessions(sessions: SessionStore, sealers: Sealers): SessionStore {
  const opened = async (record: SessionRecord) => openSecrets(await sealers.of(record.clientId), record);
  return {
    async create(record) {
      const sealer = await sealers.of(record.clientId);
      return openSecrets(sealer, await sessions.create({ ...record, ...sealSecrets(sealer, record) }));
    },
    async get(clientId) {
      const record = await sessions.get(clientId);
      return record && opened(record);
    },
    async list() {
      const records = await sessions.list();
      await sealers.readAhead(records.map(({ clientId }) => clientId));
      return Promise.all(records.map(opened));
    },
    async update(clientId, changes) {
      // asking for the sealer of a session that does not exist would leave a data key behind
      if (!(await sessions.get(clientId))) return undefined;
      const sealer = await sealers.of(clientId);
      const record = await sessions.update(clientId, { ...changes, ...sealSecrets(sealer, changes) });
      return record && openSecrets(sealer, record);
    },
  };
}

type Secrets = Partial<Pick<SessionRecord, (typeof SECRETS)[number]>>;

function sealSecrets(sealer: Sealer, record: Secrets): Secrets {
  const sealed: Secrets = {};
  for (const field of SECRETS) {
    const value = record[field];
    if (value !== undefined) sealed[field] = sealer.sealText(['sessions', field], value);
  }
  return sealed;
}

function openSecrets(sealer: Sealer, record: SessionRecord): SessionRecord {
  const opened = { ...record };
  for (const field of SECRETS) opened[field] = sealer.openText(['sessions', field], record[field]);
  return opened;
}
