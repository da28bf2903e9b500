import { hash } from 'node:crypto';
import type { Operation } from './operations.js';

/** Raise it when the same rows are presented differently under the same schema: in another order, or in another notation. */
const PRESENTATION = 1;

/**
 * Separates the answers of this version from those of a version that presents content differently, since both may share one Redis. It is
 * derived from the schema of the answers, so a change of the schema changes it.
 */
export function answerForm({ content, path }: Pick<Operation, 'content' | 'path'>): string {
  return hash('sha256', JSON.stringify([PRESENTATION, path, content]), 'base64url').slice(0, 12);
}
