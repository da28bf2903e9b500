import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/adapters/http/openapi/openapi-document.js';

await writeFile('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`);
