import Router from '@koa/router';
import { LRUCache } from 'lru-cache';
import type { Call } from '../../../application/requests/answers.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import { renderAnswer } from '../response/answer-response.js';
import type { LargeBodies } from '../response/large-bodies.js';
import type { ApiRequest } from './api-request.js';
import {
  decodeComponent,
  minGenerationOf,
  type ParsedRequest,
  RequestError,
  requestParser,
} from './request-parser.js';

/** About 2,000 addresses of usual length. Long addresses (up to 8 KB) are not worth the memory. */
const CACHED_BYTES = 2 * 1024 * 1024;
const MAX_CACHED_ADDRESS_BYTES = 8 * 1024;
/** What an entry takes in addition to its texts. */
const BYTES_OF_ENTRY = 800;

/** A call of an endpoint, whose path with the name of its variable part is the route. */
export interface EndpointCall extends Call {
  readonly route: string;
}

/** Finds the endpoint of a request and parses what the request asks of it. */
export class EndpointRouter {
  readonly #router = new Router({ sensitive: true });
  readonly #parsers = new Map<string, ReturnType<typeof requestParser<Endpoint>>>();
  readonly #calls = callsByAddress();

  constructor(
    endpoints: readonly Endpoint[],
    private readonly largeBodies: LargeBodies,
  ) {
    for (const endpoint of endpoints) {
      this.#router.get(endpoint.path, () => {});
      this.#parsers.set(endpoint.path, requestParser(endpoint));
    }
  }

  /** Throws a RequestError for the wrong method, an unknown path, or invalid parameters. */
  parse({ method, address, headers }: ApiRequest): EndpointCall {
    const isReadable = method === 'GET' || method === 'HEAD';
    const call = isReadable && minGenerationOf(headers) !== null ? this.#calls.get(address) : undefined;
    return call ?? this.#parse(isReadable, address, headers);
  }

  /** The path of the endpoint with the name of its variable part, or `none`. */
  routeOf(address: string): string {
    return this.#calls.get(address)?.route ?? this.#match(pathOf(address))?.path ?? 'none';
  }

  #parse(isReadable: boolean, address: string, headers: ApiRequest['headers']): EndpointCall {
    const path = pathOf(address);
    const route = this.#match(path);
    const parse = route === null ? undefined : this.#parsers.get(route.path);
    if (route === null || parse === undefined) {
      decodeComponent(path);
      throw new RequestError('unknown-path');
    }
    if (!isReadable) throw new RequestError('method-not-allowed');
    const parsed = parse(route.capture, address.slice(path.length + 1), headers);
    const call = callOf(parsed, this.largeBodies);
    this.#calls.set(address, call);
    return call;
  }

  #match(path: string): { readonly path: string; readonly capture: string } | null {
    const layer = this.#router.match(path, 'GET').pathAndMethod.at(-1);
    return layer === undefined ? null : { path: String(layer.path), capture: layer.captures(path)[0] ?? '' };
  }
}

function pathOf(address: string): string {
  const end = address.indexOf('?');
  return end === -1 ? address : address.slice(0, end);
}

export function callOf(
  { operation, segment, query, request }: ParsedRequest<Endpoint>,
  largeBodies: LargeBodies,
): EndpointCall {
  return {
    route: operation.path,
    kind: operation.kind,
    request,
    compute: async (organizationId) =>
      renderAnswer(await operation.readContent(organizationId, query, segment), largeBodies),
  };
}

/** Most addresses repeat. */
export function callsByAddress(): LRUCache<string, EndpointCall> {
  return new LRUCache({
    maxSize: CACHED_BYTES,
    maxEntrySize: MAX_CACHED_ADDRESS_BYTES,
    // A character may take two bytes.
    sizeCalculation: ({ request }, address) => BYTES_OF_ENTRY + 2 * (address.length + 2 * request.length),
  });
}
