import { LRUCache } from 'lru-cache';
import { type Awaitable, mapAwaitable } from '../../../domain/model/awaitable.js';
import type { ApiContext } from '../request/api-state.js';
import { CompressedForms, type Compression } from './compressed-forms.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

const COMPRESSED_ABOVE_BYTES = 1024;
/** In addition to the plain answers within `LOCAL_CACHE_BYTES`, which compress to less than a third. */
const KEPT_FORMS_BYTES = 5 * 1024 * 1024;
/** About a hundred different `Accept-Encoding` headers exist, as many as browsers and libraries. Longer ones are rare. */
const PREFERENCES_BYTES = 64 * 1024;
const MAX_PREFERENCE_BYTES = 1024;
const BYTES_OF_PREFERENCE = 200;

export interface BodyForm {
  readonly compression: Compression | null;
  readonly bytes: Uint8Array;
}

const forms = new CompressedForms(KEPT_FORMS_BYTES);
const preferences = new LRUCache<string, Compression | 'identity'>({
  maxSize: PREFERENCES_BYTES,
  maxEntrySize: MAX_PREFERENCE_BYTES,
  sizeCalculation: (_, header) => header.length + BYTES_OF_PREFERENCE,
});

/** The form that the client prefers. Plain if it accepts none of those available: an answer is better than a 406. */
export function bestForm(context: ApiContext, body: Uint8Array, etag: string | null): Awaitable<BodyForm> {
  if (body.byteLength <= COMPRESSED_ABOVE_BYTES) return { compression: null, bytes: body };
  const compression = preferenceOf(context);
  if (compression === 'identity') return { compression: null, bytes: body };
  return mapAwaitable(forms.of(body, etag, compression), (bytes) => ({ compression, bytes }));
}

function preferenceOf(context: ApiContext): Compression | 'identity' {
  const header = context.get('Accept-Encoding');
  const cached = preferences.get(header);
  if (cached !== undefined) return cached;
  const accepted = context.acceptsEncodings('br', 'gzip', 'identity');
  const preferred = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  preferences.set(header, preferred);
  return preferred;
}
