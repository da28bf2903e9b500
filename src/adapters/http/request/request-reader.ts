import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Operation } from '../endpoints/operations.js';
import { decodeComponent } from './address.js';
import { parameterParser } from './parameter-parser.js';

/** Raise it when the same rows are presented differently under the same schema: in another order, or in another notation. */
const PRESENTATION = 1;

interface ReadRequest<Described extends Operation> {
  readonly segment: string;
  readonly query: Static<Described['query']>;
  /**
   * In canonical form: equal requests have equal text, however they were written. Versions that answer them differently have different
   * texts.
   */
  readonly request: string;
}

/** Parses a request to an operation from the variable part of the path and the query string. `problems` are those of its headers. */
export function requestReader<Described extends Operation>(
  operation: Described,
): (capture: string, queryString: string, problems?: readonly string[]) => ReadRequest<Described> {
  const form = answerForm(operation);
  const parse = parameterParser<Described['query']>(operation.query);

  return (capture, queryString, problems) => {
    const segment = decodeComponent(capture);
    const query = parse(queryString, problems);
    return { segment, query, request: JSON.stringify([operation.path, form, segment, query]) };
  };
}

/**
 * Separates the answers of this version from those of a version that presents content differently, since both may share one Redis. It is
 * derived from the schema of the answers, so a change of the schema changes it.
 */
export function answerForm({ content, path }: Pick<Operation, 'content' | 'path'>): string {
  return hash('sha256', JSON.stringify([PRESENTATION, path, content]), 'base64url').slice(0, 12);
}
