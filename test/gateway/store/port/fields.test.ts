import { expect } from 'chai';
import { documentsOf } from '../../../../src/gateway/store/mongo/documents.js';
import { BACKED_UP } from '../../../../src/gateway/store/port/backup.js';
import {
  blankRecord,
  collection,
  type Field,
  type Fields,
} from '../../../../src/gateway/store/port/fields.js';
import { blankSession } from '../../../../src/gateway/store/port/sessions.js';
import { SEALED } from '../../../../src/gateway/store/sealing/fields.js';
import { tableOf } from '../../../../src/gateway/store/sqlite/table.js';
import { session } from '../../../contracts/store/harness.js';

const THINGS = collection('things', {
  id: { is: 'text', documentId: true },
  size: { is: 'number' },
  color: { is: 'text', of: ['red', 'green'] },
  tags: { is: 'texts', later: true },
  until: { is: 'number', none: 'null' },
  note: { is: 'text', none: 'absent', column: 'remark' },
});

describe('records that are declared as fields', () => {
  const thing = { id: 'T', size: 3, color: 'green', tags: ['a'], until: null, note: 'new' } as const;

  it('have blank values where nothing is stored', () => {
    expect(blankRecord(THINGS)).to.deep.equal({ id: '', size: 0, color: 'red', tags: [], until: null });
  });

  it('are the same after they were a row of SQLite', () => {
    const { columns, into, values, read } = tableOf(THINGS);
    expect(columns).to.equal('id, size, color, tags, until, remark');
    expect(into).to.equal(
      'INTO things (client_id, id, size, color, tags, until, remark) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    const row = values('acme', { ...thing, tags: ['a'] });
    expect(row).to.deep.equal(['acme', 'T', 3, 'green', '["a"]', null, 'new']);
    expect(read(row.slice(1))).to.deep.equal(thing);
  });

  it('are the same after they were a document of MongoDB', () => {
    const { toFields, toRecord } = documentsOf(THINGS);
    const fields = toFields({ ...thing, tags: ['a'] });
    expect(fields).to.deep.equal({ size: 3, color: 'green', tags: ['a'], until: null, note: 'new' });
    expect(toRecord({ ...fields, _id: 'T' })).to.deep.equal(thing);
  });

  it('have blank values for what an earlier release did not store, and for what is no such value', () => {
    const { toRecord } = documentsOf(THINGS);
    const blank = { id: 'T', size: 0, color: 'red', tags: [], until: null };
    expect(toRecord({ _id: 'T' })).to.deep.equal(blank);
    expect(
      toRecord({ _id: 'T', size: '3', color: 'blue', tags: null, until: true, note: null }),
    ).to.deep.equal(blank);
  });

  it('share nothing with one another', () => {
    blankSession().extraEvents.push('x');
    expect(blankSession().extraEvents).to.deep.equal([]);
  });

  it('are sealed only together with the fields that the value is bound to', () => {
    const { previousToken } = SEALED.sessions;
    expect(previousToken?.(session('acme'))).to.deep.equal(['sessions', 'previousToken', '1700000000003']);
    expect(() => previousToken?.({ previousToken: 'x' })).to.throw('previousToken needs previousTokenUntil');
  });

  it('bind sealed values to fields that the record has', () => {
    for (const { name, fields } of Object.values<{ name: string; fields: Fields }>(BACKED_UP)) {
      for (const [field, { sealed = [] }] of Object.entries<Field>(fields)) {
        expect(Object.keys(fields), `${name}.${field}`).to.include.members([...sealed]);
      }
    }
  });
});
