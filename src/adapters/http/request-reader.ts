import type { Static } from 'typebox';
import { decodeComponent } from './address.js';
import { answerForm } from './answer-form.js';
import type { Operation } from './operations.js';
import { parameterParser } from './parameter-parser.js';

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
