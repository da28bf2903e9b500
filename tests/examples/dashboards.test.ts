import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readMapping } from '../../src/adapters/dashboard/mapping/read-mapping.js';

const FOLDER = 'docs/examples/dashboards';

describe('Each example of a dashboard', () => {
  for (const name of readdirSync(FOLDER)) {
    it(`has a mapping that the programs accept: ${name}`, () => {
      expect(readMapping(join(FOLDER, name, 'mapping.yaml')).captures).not.to.have.length(0);
    });
  }
});
