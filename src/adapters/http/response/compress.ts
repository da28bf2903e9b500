import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../../../application/requests/single-flight.js';
import { isLarge, type LargeBodies } from './large-bodies.js';

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
  readonly #kept: LRUCache<string, Buffer>;
  readonly #running = new SingleFlight<Buffer>();

  constructor(
    maxBytes: number,
    private readonly largeBodies: LargeBodies,
  ) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (bytes, name) => bytes.buffer.byteLength + name.length + BYTES_OF_FORM,
    });
  }

  /** `etag` identifies the body permanently; a body without one is compressed and not kept. */
  async of(body: Uint8Array, etag: string | null, compression: Compression): Promise<Buffer> {
    if (etag === null) return COMPRESS[compression](body);
    const name = `${compression} ${etag}`;
    return this.#kept.get(name) ?? this.#running.share(name, () => this.#make(name, body, compression));
  }

  async #make(name: string, body: Uint8Array, compression: Compression): Promise<Buffer> {
    // Copied: zlib's buffer would keep a chunk of 16 KiB in memory, however little of it is used.
    const compressed = isLarge(body)
      ? this.largeBodies.inTurn(() => COMPRESS[compression](body))
      : COMPRESS[compression](body);
    const bytes = Buffer.from(new Uint8Array(await compressed).buffer);
    this.#kept.set(name, bytes);
    return bytes;
  }
}
