import { expect } from 'chai';
import { placeOn } from '../../../src/local/drill/store-place.js';

const NAME = 'switchboard-drill-1';

describe('the database of a drill', () => {
  it('is on the given server, under a name of its own in place of the given database', () => {
    const { url, host, port, urlBy } = placeOn('mongodb://db.example:27018/production', NAME);
    expect(url).to.equal(`mongodb://db.example:27018/${NAME}`);
    expect([host, port]).to.deep.equal(['db.example', 27_018]);
    expect(urlBy?.(4_000)).to.equal(`mongodb://127.0.0.1:4000/${NAME}?directConnection=true`);
  });

  it('logs its user in where the given URL does', () => {
    const named = placeOn('mongodb://op:s%40cret@db.example/production', NAME);
    expect(named.url).to.equal(`mongodb://op:s%40cret@db.example/${NAME}?authSource=production`);
    const usual = placeOn('mongodb://op:secret@db.example', NAME);
    expect(usual.url).to.equal(`mongodb://op:secret@db.example/${NAME}?authSource=admin`);
    const given = placeOn('mongodb://op:secret@db.example/production?authSource=users', NAME);
    expect(given.url).to.equal(`mongodb://op:secret@db.example/${NAME}?authSource=users`);
  });

  it('takes one member of a replica set through a relay', () => {
    const { urlBy } = placeOn('mongodb://db.example/x?replicaSet=rs0', NAME);
    expect(urlBy?.(4_000)).to.equal(`mongodb://127.0.0.1:4000/${NAME}?directConnection=true`);
  });

  it('has no relay before several servers, or before TLS', () => {
    expect(placeOn('mongodb://a.example,b.example/x?replicaSet=rs0', NAME).urlBy).to.equal(undefined);
    expect(placeOn('mongodb://a.example/x?tls=true', NAME).urlBy).to.equal(undefined);
  });

  it('needs a mongodb:// URL', () => {
    for (const store of ['postgres://a', 'mongodb+srv://a.example', 'mongodb://', 'elsewhere']) {
      expect(() => placeOn(store, NAME), store).to.throw('--store must be sqlite or a mongodb:// URL');
    }
  });
});
