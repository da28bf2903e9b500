import { readFile } from 'node:fs/promises';
import type { Document, Documents } from '../../adapters/operations/operations-server.js';

const JAVASCRIPT = 'text/javascript; charset=utf-8';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Blog Content Read API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js" type="module"></script>
</body>
</html>
`;

/**
 * Through the operators' port: the public one allows no other origins, as keys are not for
 * browsers.
 */
const REFERENCE = `const description = await (await fetch('/openapi.json')).json();
const servers = [{ url: '/', description: 'The API of this process, through this port' }];
SwaggerUIBundle({ spec: { ...description, servers }, dom_id: '#reference', validatorUrl: null });
`;

/** The documents on the operators' port of an API. */
export const API_DOCUMENTS: Documents = {
  '/openapi.json': {
    contentType: 'application/json; charset=utf-8',
    body: async () => {
      const { openApiDocument } = await import('../../adapters/http/openapi/openapi-document.js');
      return `${JSON.stringify(openApiDocument(), null, 2)}\n`;
    },
  },
  '/docs': { contentType: 'text/html; charset=utf-8', body: async () => PAGE },
  '/docs/reference.js': { contentType: JAVASCRIPT, body: async () => REFERENCE },
  '/docs/swagger-ui.css': packaged('swagger-ui.css', 'text/css; charset=utf-8'),
  '/docs/swagger-ui-bundle.js': packaged('swagger-ui-bundle.js', JAVASCRIPT),
};

/** Copied by the build. The address is the same from `src` and from `dist`. */
function packaged(file: string, contentType: string): Document {
  return { contentType, body: () => readFile(new URL(`../../../dist/swagger-ui/${file}`, import.meta.url)) };
}
