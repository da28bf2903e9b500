import { expect } from 'chai';
import { packageHome } from '../../src/architecture/rules.js';

describe('packageHome', () => {
  it('has the default of each layer that is left out', () => {
    const { from } = packageHome('a-rule', 'chai', ['lib/doors'], 'A reason.', { sources: 'lib' });
    expect(from.pathNot).to.deep.equal(['^src/domain/', '^src/application/', '^lib/doors/']);
    expect(from.path).to.deep.equal(['^lib/']);
  });
});
