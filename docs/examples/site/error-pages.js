import { BlogApiError } from 'blog-content-read-api/client';
import { html } from './html.js';
import { layout } from './layout.js';

/** @import { Html } from './html.js' */

const SECONDS_UNTIL_IT_MAY_WORK = 30;

/**
 * @param {string} siteName
 */
export function notFoundPage(siteName) {
  return errorPage(
    siteName,
    'This page is not here',
    'It may have moved, or been taken back. Try the search.',
  );
}

/**
 * The page for a failure. It does not show the cause, which is in the log.
 *
 * @param {string} siteName
 * @param {unknown} error
 * @returns {{ status: number, headers: Record<string, string>, page: Html }}
 */
export function failurePage(siteName, error) {
  if (!(error instanceof BlogApiError)) return brokenPage(siteName);
  switch (error.kind) {
    case 'bad-request':
      return {
        status: 400,
        headers: {},
        page: errorPage(siteName, 'This is no question', 'Is the search too long?'),
      };
    case 'rate-limited':
      return patiencePage(siteName, error.retryAfter, 'Many people are reading here just now.');
    case 'server-error':
    case 'network':
    case 'timeout':
      return patiencePage(siteName, error.retryAfter, 'The blogs are out of reach just now.');
    default:
      return brokenPage(siteName);
  }
}

/**
 * @param {string} siteName
 * @param {number | null} retryAfter
 * @param {string} reason
 */
function patiencePage(siteName, retryAfter, reason) {
  const seconds = retryAfter ?? SECONDS_UNTIL_IT_MAY_WORK;
  const page = errorPage(siteName, 'One moment, please', `${reason} Try again in ${seconds} seconds.`);
  return { status: 503, headers: { 'Retry-After': String(seconds) }, page };
}

/**
 * @param {string} siteName
 */
function brokenPage(siteName) {
  return {
    status: 500,
    headers: {},
    page: errorPage(siteName, 'Something went wrong', 'We have been told.'),
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
