import type { Answer } from '../../domain/model/answer.js';

/** The ETag as JSON, which has no line break, a line break, and then the bytes of the body. */
export function encodeAnswer({ etag, body }: Answer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(etag)}\n`), body]);
}

export function decodeAnswer(bytes: Buffer): Answer {
  const etagEnd = bytes.indexOf('\n');
  return { etag: JSON.parse(bytes.toString('utf8', 0, etagEnd)), body: bytes.subarray(etagEnd + 1) };
}
