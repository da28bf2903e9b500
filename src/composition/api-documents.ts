import { openApiDocument } from '../adapters/http/openapi/openapi-document.js';
import type { Documents } from '../adapters/operations/operations-server.js';

/** What the operators' port of an API gives to read. */
export const API_DOCUMENTS: Documents = {
  '/openapi.json': {
    contentType: 'application/json; charset=utf-8',
    body: `${JSON.stringify(openApiDocument(), null, 2)}\n`,
  },
};
