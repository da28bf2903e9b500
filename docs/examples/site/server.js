import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { BlogClient } from 'blog-content-read-api/client';
import { failurePage, notFoundPage } from './error-pages.js';
import { pageAt } from './pages.js';

const {
  API_URL = 'http://127.0.0.1:3000',
  API_KEY,
  WEBSITE_ID = 'site_halfbright',
  SITE_NAME = 'Halfbright Notes',
  HOST = '127.0.0.1',
  PORT = '8080',
} = process.env;
if (!API_KEY) {
  console.error('Set API_KEY to a key of the organization whose content this site shows.');
  process.exit(78);
}

const client = new BlogClient({
  url: API_URL,
  apiKey: API_KEY,
  // Visitors do not wait for the end of a window, and see a change after at most five seconds.
  longestWaitMs: 1_000,
  timeLimitMs: 3_000,
  freshForMs: 5_000,
});
const site = { client, websiteId: WEBSITE_ID, siteName: SITE_NAME };
const style = await readFile(new URL('style.css', import.meta.url));

const HEADERS = {
  // The content is trusted, but scripts are not allowed: a script in the content does not run here.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src https: data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

const server = createServer(async (request, response) => {
  const { status, headers = {}, type = 'text/html; charset=utf-8', body } = await responseTo(request);
  response.writeHead(status, { ...HEADERS, 'Content-Type': type, ...headers });
  response.end(request.method === 'HEAD' ? undefined : body);
});

server.listen(Number(PORT), HOST, () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`${SITE_NAME}: http://${HOST}:${address?.port}`);
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<{ status: number, headers?: Record<string, string>, type?: string, body: string | Buffer }>}
 */
async function responseTo({ method = '', url = '' }) {
  if (!['GET', 'HEAD'].includes(method)) return { status: 405, headers: { Allow: 'GET, HEAD' }, body: '' };
  if (url === '/style.css') return { status: 200, type: 'text/css; charset=utf-8', body: style };
  try {
    const page = URL.canParse(url, 'http://site') ? await pageAt(site, new URL(url, 'http://site')) : null;
    if (page === null) return { status: 404, body: notFoundPage(SITE_NAME).text };
    return { status: 200, body: page.text };
  } catch (error) {
    console.error(error);
    const { status, headers, page } = failurePage(SITE_NAME, error);
    return { status, headers, body: page.text };
  }
}
