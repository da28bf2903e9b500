import { isUtf8 } from 'node:buffer';
import { RequestError } from './request-error.js';

const PERCENT = '%'.charCodeAt(0);
/** Host names have at most 253 characters, and the key is not checked yet. */
const MAX_HOST_LENGTH = 512;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** A path with a query string, whatever follows the method: a path, a URL, or neither. */
export function pathOf(target: string): string {
  if (target.startsWith('/') && !target.includes('#')) return target;
  const path = target
    .replace(SCHEME_AND_HOST, (host) => (host.length <= MAX_HOST_LENGTH && URL.canParse(host) ? '' : host))
    .replaceAll('#', '%23');
  return path.startsWith('/') ? path : `/${path}`;
}

/** Unlike `decodeURIComponent`, requires bytes that arrive unencoded to be UTF-8 as well. */
export function decodeComponent(encoded: string): string {
  const bytes = Buffer.from(encoded, 'latin1');
  let length = 0;
  for (let position = 0; position < bytes.length; position++) {
    const byte = bytes[position] as number;
    if (byte === PERCENT) {
      bytes[length++] = 16 * hexDigit(bytes[position + 1]) + hexDigit(bytes[position + 2]);
      position += 2;
    } else {
      bytes[length++] = byte;
    }
  }
  const decoded = bytes.subarray(0, length);
  if (!isUtf8(decoded)) throw new RequestError('malformed-address');
  return decoded.toString();
}

/** Decodes a component of a query string, where a plus is a space. */
export function decodeFormComponent(encoded: string): string {
  return decodeComponent(encoded.replaceAll('+', ' '));
}

/** The values of these names, still encoded; other parameters are only checked, in one call. */
export function parseQueryString(
  queryString: string,
  names: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  // No separator can be part of an escape or a character, so this checks all parts.
  decodeComponent(queryString);
  const values = new Map<string, string[]>();
  for (const pair of queryString.split('&')) {
    const nameEnd = pair.indexOf('=');
    const written = nameEnd === -1 ? pair : pair.slice(0, nameEnd);
    const name = names.has(written) || !written.includes('%') ? written : decodeURIComponent(written);
    if (!names.has(name)) continue;
    const value = nameEnd === -1 ? '' : pair.slice(nameEnd + 1);
    const earlier = values.get(name);
    if (earlier === undefined) values.set(name, [value]);
    else earlier.push(value);
  }
  return values;
}

function hexDigit(byte = 0): number {
  const isDigit = byte >= 0x30 && byte <= 0x39;
  if (isDigit) return byte - 0x30;
  const letter = byte | 0x20;
  if (letter < 0x61 || letter > 0x66) throw new RequestError('malformed-address');
  return letter - 0x61 + 10;
}
