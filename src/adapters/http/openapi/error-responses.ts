import { STATUS_CODES } from 'node:http';
import {
  ERROR_ANSWERS,
  ErrorEnvelope,
  errorEnvelope,
  OVERSIZED_HEADERS,
  UNEXPECTED_ERROR,
  UNFINISHED_REQUEST,
} from '../response/error-answers.js';
import { type HeaderName, headersOnly, headersWith } from './response-headers.js';

const WRONG_PARAMETER = 'limit must be a whole number from 1 to 100, in plain digits (got "0")';

const ERRORS = Object.entries({
  ...ERROR_ANSWERS,
  unexpected: withoutDetails(UNEXPECTED_ERROR),
  'unfinished-request': withoutDetails(UNFINISHED_REQUEST),
  'oversized-headers': withoutDetails(OVERSIZED_HEADERS),
});

/** Statuses that only unreadable requests get. A malformed one shares the status 400, and its headers, with other requests. */
const UNREAD: readonly number[] = [UNFINISHED_REQUEST.status, OVERSIZED_HEADERS.status];

const OWN_HEADERS: Readonly<Record<number, HeaderName[]>> = {
  405: ['Allow'],
  429: ['Retry-After'],
};

/** One response for each status of an error, with an example of each error that has it. */
export function errorResponses() {
  const statuses = new Set(ERRORS.map(([, { status }]) => status));
  return Object.fromEntries([...statuses].map((status) => [nameOf(status), responseOf(status)]));
}

/** References by status. A single blog may be not found; a list is only empty. */
export function errorsOf({ segment }: { segment: object | null }) {
  const statuses = new Set(ERRORS.map(([, { status }]) => status));
  if (segment === null) statuses.delete(404);
  return Object.fromEntries(
    [...statuses].map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]),
  );
}

function responseOf(status: number) {
  const errors = ERRORS.filter(([, error]) => error.status === status);
  const examples = errors.map(([code, { message }]) => [
    code,
    { value: errorEnvelope(status, message(WRONG_PARAMETER)) },
  ]);
  return {
    description: errors.map(([, { message }]) => message('…')).join(', or: '),
    headers: UNREAD.includes(status)
      ? headersOnly('Cache-Control')
      : headersWith('Content-Encoding', ...(OWN_HEADERS[status] ?? [])),
    content: { 'application/json': { schema: ErrorEnvelope, examples: Object.fromEntries(examples) } },
  };
}

function withoutDetails({ status, message }: typeof UNEXPECTED_ERROR) {
  return { status, message: () => message };
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? '').replaceAll(' ', '');
}
