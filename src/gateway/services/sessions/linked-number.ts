import type { OwnIdentity } from '../../link/link.js';
import type { SessionRecord } from '../../store/store.js';
import type { RecordChanges } from './record.js';

/** When the number of a session was linked: milliseconds since the epoch. Records of earlier releases have only their creation time. */
export function linkedSince({ linkedAt, createdAt }: Pick<SessionRecord, 'linkedAt' | 'createdAt'>): number {
  return linkedAt || createdAt;
}

/** Changes of a session's record when the link reports its number, which may be another one than before. @returns undefined when nothing changes */
export function linkedAs(record: SessionRecord, me: OwnIdentity, now: number): RecordChanges | undefined {
  const { jid, lid, pn, name, linkedNumber } = record;
  const number = numberIn(me);
  const isSame = (linkedNumber || numberIn(record)) === number;
  if (me.jid === jid && me.lid === lid && me.pn === pn && me.name === name && linkedNumber === number)
    return undefined;
  if (isSame) return { ...me, linkedNumber: number, linkedAt: linkedSince(record) };
  return { ...me, linkedNumber: number, linkedAt: now, restrictions: '' };
}

/** Changes of a session's record when its link ends for good; the same number may be linked again. */
export function unlinked(record: SessionRecord): RecordChanges {
  const linkedNumber = record.linkedNumber || numberIn(record);
  const linkedAt = linkedNumber ? linkedSince(record) : 0;
  return { jid: '', lid: '', pn: '', name: '', linkedNumber, linkedAt };
}

function numberIn({ pn, lid }: Pick<OwnIdentity, 'pn' | 'lid'>): string {
  return pn || lid;
}
