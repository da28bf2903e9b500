import { hash } from 'node:crypto';
import type { Answer } from '../../../domain/model/answer.js';

/** Renders the answer. Its ETag is weak, because one tag identifies the plain and the compressed forms. */
export function renderAnswer(content: object): Answer {
  // Not a `Buffer`: a small one would keep its whole pool in memory while it is cached.
  const body = new TextEncoder().encode(JSON.stringify(content));
  // Joined: a cached template string would keep its parts in memory, and with them the whole hash.
  return { body, etag: ['W/"', hash('sha256', body, 'base64url').slice(0, 27), '"'].join('') };
}
