import type { IncomingHttpHeaders } from 'node:http';
import { quotedValue } from './quoted-value.js';

const NAME = 'X-Min-Generation';
const WHOLE_NUMBER = /^(0|[1-9][0-9]*)$/;

/** The lowest generation that the caller accepts; null for an invalid header, which `minGenerationProblems` reports. */
export function minGenerationOf(headers: IncomingHttpHeaders): number | null {
  const given = headers['x-min-generation'];
  if (given === undefined) return 0;
  return typeof given === 'string' && WHOLE_NUMBER.test(given) ? Number(given) : null;
}

/** What is wrong with the header, in the same words as for a parameter. */
export function minGenerationProblems(headers: IncomingHttpHeaders): readonly string[] {
  if (minGenerationOf(headers) !== null) return [];
  return [
    `${NAME} must be a whole number, in plain digits ${quotedValue(String(headers['x-min-generation']))}`,
  ];
}
