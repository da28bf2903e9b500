import { expect } from 'chai';
import type { Runner } from '../runner.js';

/** The class of an adapter, as a contract suite is given it; whatever its constructor takes, private ones included. */
export interface AdapterClass<Port> {
  readonly name: string;
  readonly prototype: Port;
}

/** The first test of every suite: without it, a factory that falls back to another adapter passes unseen. */
export function itIsTestedItself<Port>(
  runner: Runner,
  Adapter: AdapterClass<Port>,
  subject: () => Port,
): void {
  const { it } = runner;
  it('is tested itself, not a stand-in', () => {
    expect(subject()).to.be.instanceOf(Adapter);
  });
}
