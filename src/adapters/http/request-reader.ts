import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { decodeComponent } from './address.js';
import { answerForm } from './answer-form.js';
import type { Operation } from './operations.js';
import { parameterParser } from './parameter-parser.js';

/** For each operation: about 1,000 addresses of usual length. Long ones, up to 8 KB of a caller's, are not worth their place. */
const REMEMBERED_BYTES = 1024 * 1024;
const LONGEST_REMEMBERED_BYTES = 8 * 1024;
/** What an entry takes beside its texts. */
const BYTES_OF_ENTRY = 600;

interface ReadRequest<Described extends Operation> {
  readonly segment: string;
  readonly query: Static<Described['query']>;
  /** In canonical form: equal requests, however they were written, have equal text; versions that answer them otherwise, another one. */
  readonly request: string;
}

/** What is asked of an operation, from the variable part of the path and the query string. Most addresses come again and again. */
export function requestReader<Described extends Operation>(
  operation: Described,
): (capture: string, queryString: string) => ReadRequest<Described> {
  const form = answerForm(operation);
  const parse = parameterParser<Described['query']>(operation.query);
  const remembered = new LRUCache<string, ReadRequest<Described>>({
    maxSize: REMEMBERED_BYTES,
    maxEntrySize: LONGEST_REMEMBERED_BYTES,
    // Segment and query have no more text than the whole request; text may take two bytes a character.
    sizeCalculation: ({ request }, address) => BYTES_OF_ENTRY + 2 * (address.length + 2 * request.length),
  });

  return (capture, queryString) => {
    const address = `${capture}?${queryString}`;
    const known = remembered.get(address);
    if (known !== undefined) return known;
    const segment = decodeComponent(capture);
    const query = parse(queryString);
    const read = { segment, query, request: JSON.stringify([operation.path, form, segment, query]) };
    remembered.set(address, read);
    return read;
  };
}
