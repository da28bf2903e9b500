import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/adapters/http/openapi/openapi-document.js';
import { withAnswer } from './readme-answer.js';

const text = JSON.stringify(openApiDocument(), null, 2);
await writeFile('docs/openapi.json', `${text}\n`);
await writeFile('README.md', await withAnswer(await readFile('README.md', 'utf8')));
