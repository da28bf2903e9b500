import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../../domain/answers/single-flight.js';
import type { ApiContext } from '../request/api-state.js';

/** Besides the plain answers within `LOCAL_CACHE_BYTES`, which compress to less than a third. */
const KEPT_FORMS_BYTES = 5 * 1024 * 1024;
/** Browsers and libraries send about a hundred different `Accept-Encoding` headers. */
const PREFERENCES_BYTES = 64 * 1024;
const MAX_PREFERENCE_BYTES = 1024;
const BYTES_OF_PREFERENCE = 200;
/** What a compressed body takes in addition to its bytes. */
const BYTES_OF_FORM = 500;
// Level 4 compresses JSON like gzip's best level, in a fraction of the default level's time.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const COMPRESS = {
  br: (body: Uint8Array) => promisify(brotliCompress)(body, BROTLI_OPTIONS),
  gzip: (body: Uint8Array) => promisify(gzip)(body),
};
type Compression = keyof typeof COMPRESS;

/** Compressed bodies, made at the first request for them and bounded in bytes. */
export class CompressedForms {
  readonly #kept: LRUCache<string, Uint8Array>;
  readonly #running = new SingleFlight<Uint8Array>();

  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (bytes, name) => bytes.buffer.byteLength + name.length + BYTES_OF_FORM,
    });
  }

  /** `etag` identifies the body permanently; a body without one is compressed and not kept. */
  of(body: Uint8Array, etag: string | null, compression: Compression): Uint8Array | Promise<Uint8Array> {
    if (etag === null) return COMPRESS[compression](body);
    const name = `${compression} ${etag}`;
    return this.#kept.get(name) ?? this.#running.run(name, () => this.#make(name, body, compression));
  }

  async #make(name: string, body: Uint8Array, compression: Compression): Promise<Uint8Array> {
    // Copied: zlib's buffer would keep a chunk of 16 KiB in memory, however little of it is used.
    const bytes = new Uint8Array(await COMPRESS[compression](body));
    this.#kept.set(name, bytes);
    return bytes;
  }
}

export const compressedForms = new CompressedForms(KEPT_FORMS_BYTES);
const preferences = new LRUCache<string, Compression | 'identity'>({
  maxSize: PREFERENCES_BYTES,
  maxEntrySize: MAX_PREFERENCE_BYTES,
  sizeCalculation: (_, header) => header.length + BYTES_OF_PREFERENCE,
});

export function preferredForm(context: ApiContext): Compression | 'identity' {
  const header = context.get('Accept-Encoding');
  const cached = preferences.get(header);
  if (cached !== undefined) return cached;
  const accepted = context.acceptsEncodings('br', 'gzip', 'identity');
  const preferred = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  preferences.set(header, preferred);
  return preferred;
}
