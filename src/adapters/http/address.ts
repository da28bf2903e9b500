import { RequestError } from './request-error.js';

const MALFORMED_PERCENT = /%(?![0-9a-fA-F]{2})/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict where `decodeURIComponent` is not asked: bytes that came unencoded must be UTF-8, too. */
export function decodeComponent(encoded: string): string {
  if (MALFORMED_PERCENT.test(encoded)) throw new RequestError('malformed-address');
  const bytes = encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return strictUtf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw new RequestError('malformed-address');
  }
}

/** Every value that each name was given, in order. */
export function parseQueryString(queryString: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const [name, ...rest] = pair.split('=');
    const decodedName = decodeFormComponent(name ?? '');
    const decodedValue = decodeFormComponent(rest.join('='));
    values.set(decodedName, [...(values.get(decodedName) ?? []), decodedValue]);
  }
  return values;
}

function decodeFormComponent(encoded: string): string {
  return decodeComponent(encoded.replaceAll('+', ' '));
}
