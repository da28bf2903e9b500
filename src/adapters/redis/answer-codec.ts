import type { Answer, LastAnswer } from '../../domain/model/answer.js';

/** The ETag as JSON (which has no line break), a line break, and the bytes of the body. */
export function encodeAnswer({ etag, body }: Answer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(etag)}\n`), body]);
}

export function decodeAnswer(bytes: Buffer): Answer {
  const etagEnd = bytes.indexOf('\n');
  // Copied: a slice would keep the whole received packet in memory while it is cached.
  const body = new Uint8Array(bytes.subarray(etagEnd + 1));
  return { etag: JSON.parse(bytes.toString('utf8', 0, etagEnd)), body };
}

/** The same format, preceded by the other fields of a last answer. */
export function encodeLastAnswer({ answer, generation, expiresAt }: LastAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify([generation, expiresAt])}\n`), encodeAnswer(answer)]);
}

export function decodeLastAnswer(bytes: Buffer): LastAnswer {
  const end = bytes.indexOf('\n');
  const [generation, expiresAt] = JSON.parse(bytes.toString('utf8', 0, end));
  return { answer: decodeAnswer(bytes.subarray(end + 1)), generation, expiresAt };
}
