import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';

export const JSON_TYPE = 'application/json; charset=utf-8';

const COMPRESSED_ABOVE_BYTES = 1024;
// Level 4 compresses JSON about as well as gzip's best, in a fraction of the time that the default (11) takes.
const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
/** There are about as many `Accept-Encoding` as there are browsers and libraries. */
const REMEMBERED_PREFERENCES = 100;

const COMPRESS = {
  br: (body: Uint8Array) => promisify(brotliCompress)(body, BROTLI_OPTIONS),
  gzip: (body: Uint8Array) => promisify(gzip)(body),
};
type Compression = keyof typeof COMPRESS;

interface BodyForm {
  readonly compression: Compression | null;
  readonly bytes: Uint8Array;
}

/** Made when somebody takes them first, and kept as long as their body is. */
const compressedForms = new WeakMap<Uint8Array, Partial<Record<Compression, Promise<Buffer>>>>();
const preferences = new LRUCache<string, Compression | 'identity'>({ max: REMEMBERED_PREFERENCES });

/** The form that the client likes best; plain, if it takes none that there is: an answer beats a 406. */
export async function bestForm(context: Context, body: Uint8Array): Promise<BodyForm> {
  const preferred = preferenceOf(context);
  return preferred === 'identity' || body.byteLength <= COMPRESSED_ABOVE_BYTES
    ? { compression: null, bytes: body }
    : { compression: preferred, bytes: await compressed(body, preferred) };
}

function preferenceOf(context: Context): Compression | 'identity' {
  const header = context.get('Accept-Encoding');
  const remembered = preferences.get(header);
  if (remembered !== undefined) return remembered;
  const accepted = context.acceptsEncodings('br', 'gzip', 'identity');
  const preferred = accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
  preferences.set(header, preferred);
  return preferred;
}

function compressed(body: Uint8Array, compression: Compression): Promise<Buffer> {
  let forms = compressedForms.get(body);
  if (forms === undefined) {
    forms = {};
    compressedForms.set(body, forms);
  }
  forms[compression] ??= COMPRESS[compression](body);
  return forms[compression];
}
