import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/adapters/http/openapi/openapi-document.js';
import { clientTypes } from './client-types.js';

const text = JSON.stringify(openApiDocument(), null, 2);
await writeFile('docs/openapi.json', `${text}\n`);
await writeFile('src/client/api-types.ts', clientTypes(JSON.parse(text)));
