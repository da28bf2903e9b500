import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { SingleFlight } from '../../../src/application/requests/single-flight.js';

describe('SingleFlight', () => {
  it('computes once for all simultaneous calls with the same name', async () => {
    const flights = new SingleFlight<string>();
    let computations = 0;
    const compute = async () => {
      await nextTurn();
      return `${++computations}`;
    };
    const runs = ['a', 'b', 'a', '__proto__', 'a'].map((name) => flights.share(name, compute));
    expect(await Promise.all(runs)).to.deep.equal(['1', '2', '1', '3', '1']);
    expect(await flights.share('a', compute)).to.equal('4');
  });

  it('rejects all of them with the same failure, and lets the next call try again', async () => {
    const flights = new SingleFlight<string>();
    const fail = async () => Promise.reject(new Error('It failed'));
    const ends = await Promise.allSettled([flights.share('a', fail), flights.share('a', fail)]);
    expect(ends.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await flights.share('a', async () => 'now')).to.equal('now');
  });
});
