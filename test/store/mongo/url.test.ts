import { expect } from 'chai';
import { databaseNameOf, unlessInUrl } from '../../../src/store/mongo/url.js';

describe('the URL of a MongoDB database', () => {
  it('names the database in its path', () => {
    expect(databaseNameOf('mongodb://localhost:27017/gateway')).to.equal('gateway');
    expect(databaseNameOf('mongodb://a:1,b:2/gate%2Dway?replicaSet=rs0')).to.equal('gate-way');
    expect(databaseNameOf('mongodb+srv://user:secret@db.example/gateway')).to.equal('gateway');
  });

  it('means the database switchboard without a path', () => {
    const urls = [
      'mongodb://localhost',
      'mongodb://localhost/',
      'mongodb://a:1,b:2/?replicaSet=rs0',
      'mongodb://a?x=/y',
    ];
    expect(new Set(urls.map(databaseNameOf))).to.deep.equal(new Set(['switchboard']));
  });

  it('has the last word on what may be set in it', () => {
    const defaults = { connectTimeoutMS: 3, socketTimeoutMS: 5 };
    expect(unlessInUrl('mongodb://a/?connecttimeoutms=9&x=1', defaults)).to.deep.equal({
      socketTimeoutMS: 5,
    });
    expect(unlessInUrl('mongodb://a', defaults)).to.deep.equal(defaults);
  });
});
