import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { openApiDocument } from '../../src/adapters/http/openapi/openapi-document.js';
import { withAnswer } from './readme-answer.js';

describe('What npm run openapi writes', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument()));
  const read = (file: string) => readFile(file, 'utf8');

  it('agrees with the schemas: docs/openapi.json', async () => {
    expect(JSON.parse(await read('docs/openapi.json'))).to.deep.equal(document);
  });

  it('is what the API answers to a caller of the demo: README.md', async () => {
    const readme = await read('README.md');
    expect(readme).to.equal(await withAnswer(readme));
  });
});
