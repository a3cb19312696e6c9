import type { OwnIdentity } from '../../link/link.js';
import type { SessionRecord } from '../../store/store.js';
import type { RecordChanges } from './record.js';

/** When the number of a session was linked: milliseconds since the epoch. Records of earlier releases know their creation alone. */
export function linkedSince({ linkedAt, createdAt }: Pick<SessionRecord, 'linkedAt' | 'createdAt'>): number {
  return linkedAt || createdAt;
}

/**
 * What the record of a session becomes as a link tells whose it is. Another number than the last one is linked from now on.
 * @returns undefined when nothing changes
 */
export function linkedAs(record: SessionRecord, me: OwnIdentity, now: number): RecordChanges | undefined {
  const { jid, lid, pn, name, linkedNumber } = record;
  const number = numberIn(me);
  const isSame = (linkedNumber || numberIn(record)) === number;
  if (me.jid === jid && me.lid === lid && me.pn === pn && me.name === name && linkedNumber === number)
    return undefined;
  if (isSame) return { ...me, linkedNumber: number, linkedAt: linkedSince(record) };
  return { ...me, linkedNumber: number, linkedAt: now, restrictions: '' };
}

/** What the record of a session becomes as its link ends for good: the number may be linked again. */
export function unlinked(record: SessionRecord): RecordChanges {
  const linkedNumber = record.linkedNumber || numberIn(record);
  const linkedAt = linkedNumber ? linkedSince(record) : 0;
  return { jid: '', lid: '', pn: '', name: '', linkedNumber, linkedAt };
}

function numberIn({ pn, lid }: Pick<OwnIdentity, 'pn' | 'lid'>): string {
  return pn || lid;
}
