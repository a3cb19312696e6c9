import { expect } from 'chai';
import { mergeContact } from '../../../../src/gateway/store/port/contacts.js';
import type { Contact } from '../../../../src/gateway/store/store.js';

const known = (fields: Partial<Contact>): Contact => ({
  lid: '',
  pn: '',
  name: '',
  pushName: '',
  username: '',
  source: 'message',
  learntAt: 1,
  ...fields,
});

describe('mergeContact', () => {
  it('writes nothing when the new facts are known already', () => {
    const ann = known({ lid: 'L1', pn: 'P1', name: 'Ann' });
    const merge = mergeContact(
      ann,
      { ...ann },
      { lid: 'L1', pn: 'P1', name: 'Ann', source: 'history', learntAt: 9 },
    );
    expect(merge).to.deep.equal({ merged: ann, replaces: [ann], changed: false });
  });

  it('writes an unknown person', () => {
    const merge = mergeContact(undefined, undefined, { pn: 'P1', source: 'lookup', learntAt: 9 });
    expect(merge.changed).to.equal(true);
    expect(merge.merged).to.deep.equal(known({ pn: 'P1', source: 'lookup', learntAt: 9 }));
  });

  it('prefers later facts when two people become one, and new facts over both', () => {
    const merge = mergeContact(
      known({ lid: 'L1', name: 'later', pushName: 'later', learntAt: 5 }),
      known({ pn: 'P1', name: 'earlier', username: 'earlier', learntAt: 2 }),
      { lid: 'L1', pn: 'P1', pushName: 'news', source: 'lookup', learntAt: 9 },
    );
    expect(merge.merged).to.include({
      name: 'later',
      username: 'earlier',
      pushName: 'news',
      source: 'lookup',
    });
    expect(merge.replaces).to.have.length(2);
  });

  it('names the person who lost the number', () => {
    const ann = known({ lid: 'L1', pn: 'P1' });
    const merge = mergeContact(undefined, ann, { lid: 'L2', pn: 'P1', source: 'message', learntAt: 9 });
    expect(merge.withoutNumber).to.deep.equal({ ...ann, pn: '' });
    expect(merge.replaces).to.deep.equal([]);
  });
});
