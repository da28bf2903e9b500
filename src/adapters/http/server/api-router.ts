import Router, { type RouterContext } from '@koa/router';
import { LRUCache } from 'lru-cache';
import type { AnswerRequestHandler } from '../../../domain/answers/answer-request.js';
import type { Snapshot } from '../../../domain/model/snapshot.js';
import type { Endpoint } from '../endpoints/endpoints.js';
import type { ApiContext, ApiState } from '../request/api-state.js';
import {
  decodeComponent,
  minGenerationOf,
  type ParsedRequest,
  RequestError,
  requestParser,
} from '../request/request-parser.js';
import { renderAnswer, sendAnswer } from '../response/send-response.js';

/** About 2,000 addresses of usual length. Long addresses (up to 8 KB) are not worth the memory. */
const CACHED_BYTES = 2 * 1024 * 1024;
const MAX_CACHED_ADDRESS_BYTES = 8 * 1024;
/** What an entry takes in addition to its texts. */
const BYTES_OF_ENTRY = 800;

/** Answers admitted requests; an address that was parsed before is not parsed again. */
export class ApiRouter {
  readonly #router = new Router<ApiState>({ sensitive: true });
  readonly #dispatch = this.#router.routes();
  readonly #parsedRequests = parsedRequests();

  constructor(
    endpoints: readonly Endpoint[],
    private readonly answers: Pick<AnswerRequestHandler, 'handle'>,
  ) {
    for (const endpoint of endpoints) {
      const parse = requestParser(endpoint);
      this.#router.get(endpoint.path, (context) => {
        const parsed = parse(context.captures?.[0] ?? '', context.querystring, context.req.headers);
        this.#parsedRequests.set(context.url, parsed);
        return this.#answer(context, parsed);
      });
    }
  }

  async answer(context: ApiContext): Promise<void> {
    const { method, req, url } = context;
    const isReadable = (method === 'GET' || method === 'HEAD') && minGenerationOf(req.headers) !== null;
    const parsed = isReadable ? this.#parsedRequests.get(url) : undefined;
    if (parsed !== undefined) return this.#answer(context, parsed);
    // The router itself adds the other properties that this type requires.
    await this.#dispatch(context as RouterContext<ApiState>, async () => this.#refuse(context));
  }

  /** The route of an address, also of one that cannot be parsed. */
  routeOf(path: string): string {
    return String(this.#router.match(path, 'GET').pathAndMethod.at(-1)?.path ?? 'none');
  }

  async #answer(
    context: ApiContext,
    { operation, segment, query, request }: ParsedRequest<Endpoint>,
  ): Promise<void> {
    const { state } = context;
    if (state.caller === undefined)
      throw new Error('A request is to be answered without having been admitted');
    const { organizationId, generation, isConfirmed, confirm } = state.caller;
    const { path, kind } = operation;
    state.route = path;
    const compute = async (snapshot: Snapshot) =>
      renderAnswer(await operation.readContent(organizationId, query, segment, snapshot));
    const answer = { organizationId, generation, request, kind, compute, isConfirmed, confirm };
    await sendAnswer(context, await this.answers.handle(answer));
  }

  /** A request without an endpoint has the wrong method, an invalid address, or an unknown path. */
  #refuse(context: ApiContext): never {
    if (this.#router.match(context.path, 'GET').route) {
      context.state.headers.push('Allow', 'GET, HEAD');
      throw new RequestError('method-not-allowed');
    }
    decodeComponent(context.path);
    throw new RequestError('unknown-path');
  }
}

/** By address: most addresses repeat. */
export function parsedRequests(): LRUCache<string, ParsedRequest<Endpoint>> {
  return new LRUCache({
    maxSize: CACHED_BYTES,
    maxEntrySize: MAX_CACHED_ADDRESS_BYTES,
    // A character may take two bytes.
    sizeCalculation: ({ request }, address) => BYTES_OF_ENTRY + 2 * (address.length + 2 * request.length),
  });
}
