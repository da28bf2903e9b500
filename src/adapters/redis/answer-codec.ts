import type { Answer, LastAnswer } from '../../domain/model/answer.js';

/** The ETag as JSON, which has no line break, a line break, and then the bytes of the body. */
export function encodeAnswer({ etag, body }: Answer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(etag)}\n`), body]);
}

export function decodeAnswer(bytes: Buffer): Answer {
  const etagEnd = bytes.indexOf('\n');
  // Into memory of its own: a part would keep the whole packet that it came with, as long as it is cached.
  const body = new Uint8Array(bytes.subarray(etagEnd + 1));
  return { etag: JSON.parse(bytes.toString('utf8', 0, etagEnd)), body };
}

/** The same, with what else is known of it before that. */
export function encodeLastAnswer({ answer, generation, expiresAt }: LastAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify([generation, expiresAt])}\n`), encodeAnswer(answer)]);
}

export function decodeLastAnswer(bytes: Buffer): LastAnswer {
  const end = bytes.indexOf('\n');
  const [generation, expiresAt] = JSON.parse(bytes.toString('utf8', 0, end));
  return { answer: decodeAnswer(bytes.subarray(end + 1)), generation, expiresAt };
}
