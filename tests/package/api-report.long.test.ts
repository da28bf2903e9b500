import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { apiReport } from './api-report.js';

describe('The API report', () => {
  it('is up to date in docs/package-api.md', async () => {
    const how =
      '`npm run api:report` updates docs/package-api.md. docs/package.md describes which release may change what; the change belongs into the CHANGELOG';
    expect(apiReport(), how).to.equal(await readFile('docs/package-api.md', 'utf8'));
  });
});
