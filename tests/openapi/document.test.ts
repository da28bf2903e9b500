import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import answerExamples from '../../src/adapters/http/openapi/answer-examples.json' with { type: 'json' };
import { openApiDocument } from '../../src/adapters/http/openapi/openapi-document.js';
import { clientTypes } from './client-types.js';
import { demoAnswers } from './demo-answers.js';
import { readmeAnswer } from './readme-answer.js';

describe('docs/openapi.json', () => {
  let text: string;
  before(async () => {
    text = await readFile('docs/openapi.json', 'utf8');
  });

  it('agrees with the schemas (to update it: npm run openapi)', () => {
    expect(JSON.parse(text)).to.deep.equal(openApiDocument());
  });
});

describe('src/client/api-types.ts', () => {
  it('agrees with the schemas (to update it: npm run openapi)', async () => {
    const document = JSON.parse(JSON.stringify(openApiDocument()));
    expect(await readFile('src/client/api-types.ts', 'utf8')).to.equal(clientTypes(document));
  });
});

describe('src/adapters/http/openapi/answer-examples.json', () => {
  it('contains the answers of the API to a caller of the demo (to update it: npm run openapi)', async () => {
    expect(answerExamples).to.deep.equal(await demoAnswers());
  });
});

describe('README.md', () => {
  it('shows the answer of the API to a caller of the demo (to update it: npm run openapi)', async () => {
    const shown = readmeAnswer(await readFile('README.md', 'utf8'));
    expect(JSON.parse(shown)).to.deep.equal(answerExamples.listBlogs.value);
    expect(shown).to.equal(JSON.stringify(answerExamples.listBlogs.value));
  });
});
