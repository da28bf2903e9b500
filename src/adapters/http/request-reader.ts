import { LRUCache } from 'lru-cache';
import type { Static } from 'typebox';
import { decodeComponent } from './address.js';
import type { Operation } from './operations.js';
import { parameterParser } from './parameter-parser.js';

const REMEMBERED = 1_000;

interface ReadRequest<Described extends Operation> {
  readonly segment: string;
  readonly query: Static<Described['query']>;
  /** In canonical form: equal requests, however they were written, have equal text. */
  readonly request: string;
}

/** What is asked of an operation, from the variable part of the path and the query string. Most addresses come again and again. */
export function requestReader<Described extends Operation>({
  path,
  query: schema,
}: Described): (capture: string, queryString: string) => ReadRequest<Described> {
  const parse = parameterParser<Described['query']>(schema);
  const remembered = new LRUCache<string, ReadRequest<Described>>({ max: REMEMBERED });

  return (capture, queryString) => {
    const address = `${capture}?${queryString}`;
    const known = remembered.get(address);
    if (known !== undefined) return known;
    const segment = decodeComponent(capture);
    const query = parse(queryString);
    const read = { segment, query, request: JSON.stringify([path, segment, query]) };
    remembered.set(address, read);
    return read;
  };
}
