import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { getPayload } from 'payload';
import config from './payload.config.js';

const payload = await getPayload({ config });

/** `{"operation": "create", "collection": "posts", "data": {…}}` calls Payload's local API. */
const server = createServer(async (request, response) => {
  try {
    const { operation, ...options } = await json(request);
    response.end(JSON.stringify((await payload[operation](options)) ?? null));
  } catch (error) {
    response.writeHead(500).end(String(error.stack));
  }
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('Payload started'));
