import type { Answer } from '../../domain/model/answer.js';

interface Header {
  readonly etag: string;
  readonly body: number;
  readonly gzip: number | null;
  readonly brotli: number | null;
}

/** A line of JSON that tells the lengths, and then the bytes: body, gzip, brotli. */
export function encodeAnswer({ etag, body, gzip, brotli }: Answer): Buffer {
  const header: Header = {
    etag,
    body: body.byteLength,
    gzip: gzip?.byteLength ?? null,
    brotli: brotli?.byteLength ?? null,
  };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`),
    body,
    gzip ?? Buffer.of(),
    brotli ?? Buffer.of(),
  ]);
}

export function decodeAnswer(bytes: Buffer): Answer {
  const headerEnd = bytes.indexOf('\n');
  const header: Header = JSON.parse(bytes.toString('utf8', 0, headerEnd));
  const bodyEnd = headerEnd + 1 + header.body;
  const gzipEnd = bodyEnd + (header.gzip ?? 0);
  return {
    etag: header.etag,
    body: bytes.subarray(headerEnd + 1, bodyEnd),
    gzip: header.gzip === null ? null : bytes.subarray(bodyEnd, gzipEnd),
    brotli: header.brotli === null ? null : bytes.subarray(gzipEnd, gzipEnd + (header.brotli ?? 0)),
  };
}
