import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { apiReport } from './api-report.js';

describe('What the package exports', () => {
  it('is what docs/package-api.md says', async () => {
    const how =
      '`npm run api:report` writes docs/package-api.md again. docs/package.md says which release may change what: the CHANGELOG tells of it';
    expect(apiReport(), how).to.equal(await readFile('docs/package-api.md', 'utf8'));
  });
});
