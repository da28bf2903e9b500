import { readFile, writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/adapters/http/openapi/openapi-document.js';
import { clientTypes } from './client-types.js';
import { withAnswer } from './readme-answer.js';

const text = JSON.stringify(openApiDocument(), null, 2);
await writeFile('docs/openapi.json', `${text}\n`);
await writeFile('src/client/api-types.ts', clientTypes(JSON.parse(text)));
await writeFile('README.md', await withAnswer(await readFile('README.md', 'utf8')));
