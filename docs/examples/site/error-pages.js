import { BlogApiError } from 'blog-content-read-api/client';
import { html } from './html.js';
import { layout } from './layout.js';

const SECONDS_UNTIL_IT_MAY_WORK = 30;

/**
 * @param {string} siteName
 */
export function notFoundPage(siteName) {
  return errorPage(
    siteName,
    'This page is not here',
    'It may have been moved or taken back. The search may find it.',
  );
}

/**
 * What a visitor is told of a failure: nothing of its cause, which is for the log.
 *
 * @param {string} siteName
 * @param {unknown} error
 */
export function failurePage(siteName, error) {
  const kind = error instanceof BlogApiError ? error.kind : null;
  switch (kind) {
    case 'bad-request':
      return {
        status: 400,
        retryAfter: null,
        page: errorPage(siteName, 'This cannot be answered', 'Is the search too long?'),
      };
    case 'rate-limited':
    case 'server-error':
    case 'network':
    case 'timeout': {
      const seconds = (error instanceof BlogApiError ? error.retryAfter : null) ?? SECONDS_UNTIL_IT_MAY_WORK;
      const page = errorPage(
        siteName,
        'One moment, please',
        `There is too much to do just now. Try again in ${seconds} seconds.`,
      );
      return { status: 503, retryAfter: seconds, page };
    }
    default:
      return {
        status: 500,
        retryAfter: null,
        page: errorPage(siteName, 'Something went wrong', 'It is our fault, and we know of it.'),
      };
  }
}

/**
 * @param {string} siteName
 * @param {string} title
 * @param {string} text
 */
function errorPage(siteName, title, text) {
  const main = html`
    <h1>${title}</h1>
    <p class="lead">${text}</p>
    <p><a href="/">To the newest blogs</a></p>`;
  return layout({ siteName, title, main });
}
