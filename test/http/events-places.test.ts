import { expect } from 'chai';
import { ID_LENGTH, Places } from '../../src/http/events/places.js';

describe('the places of a client at several nodes', () => {
  it('are the id of one node where there is one', () => {
    const places = new Places();
    places.join('abc-7');
    places.advance('abc-8');
    expect(String(places)).to.equal('abc-8');
  });

  it('go on from those that the client comes back with, as far as they are places', () => {
    const places = new Places('abc-7.nonsense.xyz-1');
    places.join('abc-9');
    places.join('new-0');
    places.advance('xyz-2');
    expect(String(places)).to.equal('abc-7.xyz-2.new-0');
  });

  it('keep some of the nodes that are gone, the last ones', () => {
    const places = new Places();
    places.join('here-1');
    for (let node = 1; node <= 50; node++) {
      places.join(`gone${node}-5`);
      places.leave(`gone${node}-5`);
    }
    const kept = String(places).split('.');
    expect(kept).to.have.length(9);
    expect(kept[0]).to.equal('here-1');
    expect(kept.at(-1)).to.equal('gone50-5');
  });

  it('do not name more and more nodes that are gone to a client that comes back again and again', () => {
    let id = '';
    for (let node = 1; node <= 50; node++) {
      const places = new Places(id);
      places.join(`node${node}-0`);
      places.forgetGone();
      id = String(places);
    }
    expect(id.split('.')).to.have.length(9).and.include('node50-0');
  });

  it('fit into an id however many nodes there are', () => {
    const places = new Places();
    for (let node = 1; node <= 500; node++) places.join(`${String(node).padStart(16, 'z')}-${10 ** 14}`);
    expect(String(places).length).to.be.within(1, ID_LENGTH);
  });
});
