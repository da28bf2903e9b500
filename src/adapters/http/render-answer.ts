import { hash } from 'node:crypto';
import type { Answer } from '../../domain/model/answer.js';

/** The finished answer. Its ETag is weak, because one tag names the plain and the compressed forms. */
export function renderAnswer(content: object): Answer {
  // In memory of its own: a small `Buffer` would keep the pool that it was cut from for as long as it is cached.
  const body = new TextEncoder().encode(JSON.stringify(content));
  // Joined, since a cached template would keep the pieces that it was made of, and the whole hash with them.
  return { body, etag: ['W/"', hash('sha256', body, 'base64url').slice(0, 27), '"'].join('') };
}
