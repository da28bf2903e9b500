import { expect } from 'chai';
import type { Runner } from '../runner.js';

/** The class of an adapter, whose constructor may have any parameters and be private. */
export interface AdapterClass<Port> {
  readonly name: string;
  readonly prototype: Port;
}

/** The first test of every suite. It detects a factory that falls back to another adapter. */
export function itIsTestedItself<Port>(
  runner: Runner,
  Adapter: AdapterClass<Port>,
  subject: () => Port,
): void {
  const { it } = runner;
  it('is the tested adapter, not another one', () => {
    expect(subject()).to.be.instanceOf(Adapter);
  });
}
