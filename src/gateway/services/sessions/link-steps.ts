import { isGatewayError } from '../../../domain/errors.js';
import { readAudience } from '../../../domain/status-audience.js';
import type { Link, LinkEvent, LinkFactory, LinkKeys } from '../../link/link.js';
import type { WaVersion } from '../../link/wa-versions.js';
import type { SentRecord, SessionRecord, Store } from '../../store/store.js';
import { wantsType } from './receiver-list.js';
import type { ConnectContext } from './session-context.js';

/** Events of the link itself; all others come from the network. */
export type Step = Extract<
  LinkEvent,
  { type: 'qr' | 'pairing-failed' | 'passkey' | 'passkey-failed' | 'paired' | 'open' | 'closed' }
>;

const STEPS: ReadonlySet<LinkEvent['type']> = new Set([
  'qr',
  'pairing-failed',
  'passkey',
  'passkey-failed',
  'paired',
  'open',
  'closed',
]);

export function isStep(event: LinkEvent): event is Step {
  return STEPS.has(event.type);
}

/**
 * The stored Signal state of one session, as a link needs it.
 * @param confirm called before each login; rejects when the session belongs to another node. Only links log in
 */
export function bindKeys(
  store: Pick<Store, 'keys' | 'journal'>,
  clientId: string,
  confirm: (clientId: string) => Promise<void> = async () => undefined,
): LinkKeys {
  return {
    async credentials() {
      await confirm(clientId);
      return store.keys.credentials(clientId);
    },
    get: (type, ids) => store.keys.get(clientId, type, ids),
    commit: (commit) => store.keys.commit(clientId, commit),
    journalEntry: (id) => store.journal.get(clientId, id),
    journalEntriesOf: (messageId) => store.journal.ofMessage(clientId, messageId),
  };
}

/** Deletes the keys of a session, unless they are those of a finished pairing. */
export async function dropLeftovers(
  { store, links }: { store: Pick<Store, 'keys' | 'journal'>; links: Pick<LinkFactory, 'isPaired'> },
  clientId: string,
): Promise<void> {
  if (await links.isPaired(bindKeys(store, clientId))) return;
  await store.keys.clear(clientId);
}

/** Opens a link of a session. */
export function openLink(
  { store, links, holds, confirm }: Pick<ConnectContext, 'store' | 'links' | 'holds' | 'confirm'>,
  record: Readonly<SessionRecord>,
  version: WaVersion | undefined,
  emit: (event: LinkEvent) => void,
): Link {
  const { clientId } = record;
  return links.open({
    clientId,
    keys: bindKeys(store, clientId, confirm),
    proxy: record.proxy,
    mayAct: () => holds(clientId),
    ...(version && { version }),
    wantsHistory: () => record.orgId !== '',
    wantsStatuses: () => wantsType(record, 'status_post'),
    async findSent(id) {
      const sent = await recordOf(store, clientId, id);
      // a deleted message keeps no content
      return sent?.content.length
        ? { content: sent.content, audience: readAudience(sent.audience) }
        : undefined;
    },
    emit,
  });
}

/** The record of an own message; undefined if it is damaged, because one message must not end the link. */
async function recordOf(
  { sends }: Pick<Store, 'sends'>,
  clientId: string,
  messageId: string,
): Promise<SentRecord | undefined> {
  try {
    return await sends.get(clientId, messageId);
  } catch (error) {
    if (isGatewayError(error, 'store_damaged')) return undefined;
    throw error;
  }
}
