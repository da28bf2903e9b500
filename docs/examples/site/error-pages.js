import { BlogApiError } from 'blog-content-read-api/client';
import { html } from './html.js';
import { layout } from './layout.js';

/** @import { Html } from './html.js' */

const DEFAULT_RETRY_AFTER_SECONDS = 30;

/**
 * @param {string} siteName
 */
export function notFoundPage(siteName) {
  return errorPage(siteName, 'Page not found', 'It may have moved or been unpublished. Try the search.');
}

/**
 * The page for a failure. It does not show the cause, which is in the log.
 *
 * @param {string} siteName
 * @param {unknown} error
 * @returns {{ status: number, headers: Record<string, string>, page: Html }}
 */
export function failurePage(siteName, error) {
  if (!(error instanceof BlogApiError)) return internalErrorPage(siteName);
  switch (error.kind) {
    case 'bad-request':
      return {
        status: 400,
        headers: {},
        page: errorPage(siteName, 'This search is not valid', 'It may be too long.'),
      };
    case 'rate-limited':
      return tryAgainPage(siteName, error.retryAfter, 'Too many people are reading at the moment.');
    case 'server-error':
    case 'network':
    case 'timeout':
      return tryAgainPage(siteName, error.retryAfter, 'The blogs are unavailable at the moment.');
    default:
      return internalErrorPage(siteName);
  }
}

/**
 * @param {string} siteName
 * @param {number | null} retryAfter
 * @param {string} reason
 */
function tryAgainPage(siteName, retryAfter, reason) {
  const seconds = retryAfter ?? DEFAULT_RETRY_AFTER_SECONDS;
  const page = errorPage(siteName, 'One moment, please', `${reason} Try again in ${seconds} seconds.`);
  return { status: 503, headers: { 'Retry-After': String(seconds) }, page };
}

/**
 * @param {string} siteName
 */
function internalErrorPage(siteName) {
  return {
    status: 500,
    headers: {},
    page: errorPage(siteName, 'Something went wrong', 'The error was logged.'),
  };
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
  return layout({ siteName, title: `${title} · ${siteName}`, main });
}
