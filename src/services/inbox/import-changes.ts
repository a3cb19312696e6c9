import { personOf } from '../../domain/address.js';
import type { HistoricMessage, HistoricReaction } from '../../link/port/history.js';
import type { HistoryMessage, SessionRecord } from '../../store/store.js';
import type { Authorship } from '../authorship.js';
import type { Contacts } from '../contacts.js';
import type { Parties } from '../receive/parties.js';
import { applyChange } from './changes.js';

/** What a row becomes; undefined when nothing changes. */
export type RowChange = (row: HistoryMessage) => HistoryMessage | undefined;

/** What had been done to a message of the past, as one change of its row. */
export async function pastChanges(
  session: SessionRecord,
  past: HistoricMessage,
  body: string,
  parties: Parties,
  contacts: Contacts,
): Promise<RowChange> {
  const { messageId: targetId, timestamp, editedAt } = past;
  const { author: by } = parties;
  const changes: RowChange[] = [];
  for (const reaction of past.reactions) {
    const reacting = await reactorOf(session, reaction, parties, contacts);
    const { emoji, at } = reaction;
    const reactor = reacting.lid || reacting.pn;
    if (!reactor) continue;
    changes.push((row) => applyChange(row, { type: 'reaction', targetId, by: reacting, reactor, emoji, at }));
  }
  if (past.deleted) {
    changes.push((row) => applyChange(row, { type: 'revoke', targetId, by, byAdmin: true, at: timestamp }));
  } else if (editedAt !== undefined) {
    changes.push((row) =>
      row.body === body
        ? asEdited(row)
        : applyChange(row, { type: 'edit', targetId, by, body, at: editedAt }),
    );
  }
  return (row) => {
    const changed = changes.reduce((current, change) => change(current) ?? current, row);
    return changed === row ? undefined : changed;
  };
}

/** What it said before is not known. */
function asEdited(row: HistoryMessage): HistoryMessage | undefined {
  return row.extras.edited === true ? undefined : { ...row, extras: { ...row.extras, edited: true } };
}

async function reactorOf(
  { clientId, lid, pn }: SessionRecord,
  { fromMe, participant }: HistoricReaction,
  { remote, person }: Parties,
  contacts: Contacts,
): Promise<Authorship> {
  if (fromMe) return { fromMe, lid, pn };
  const named = personOf(participant);
  const known = remote.kind === 'group' ? ((await contacts.find(clientId, named)) ?? named) : person;
  return { fromMe, ...(known?.lid && { lid: known.lid }), ...(known?.pn && { pn: known.pn }) };
}
