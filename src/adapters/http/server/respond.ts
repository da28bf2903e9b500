import {
  type Admission,
  type AdmitRequestHandler,
  CountedFailure,
} from '../../../application/requests/admit-request.js';
import type { AnswerRequestHandler, GivenAnswer } from '../../../application/requests/answer-request.js';
import { DomainError, KeyRefused } from '../../../domain/errors.js';
import type { ApiKey } from '../../../domain/model/api-key.js';
import type { Window } from '../../../domain/model/window.js';
import type { Clock } from '../../../domain/ports/system/clock.js';
import type { Log } from '../../../domain/ports/system/log.js';
import { type ApiRequest, keyOf } from '../request/api-request.js';
import type { EndpointRouter } from '../request/endpoint-router.js';
import { minGenerationOf } from '../request/request-parser.js';
import { answerResponse, renderAnswer } from '../response/answer-response.js';
import type { ApiResponse } from '../response/api-response.js';
import { errorResponse, isRefusal } from '../response/error-response.js';
import { RateHeaders } from '../response/rate-headers.js';

/** Whose request it was. Operators see it, callers do not. */
export type Caller =
  | { readonly verdict: 'admitted' | 'refused'; readonly key: ApiKey }
  | { readonly verdict: 'unauthenticated'; readonly refusal: KeyRefused }
  /** The key could not be looked up. */
  | { readonly verdict: null };

export interface Served {
  readonly response: ApiResponse;
  /** The headers of the limit. */
  readonly rate: ApiResponse['headers'];
  readonly caller: Caller;
  /** Null: an error. */
  readonly source: GivenAnswer['source'] | null;
}

export interface ResponderParts {
  readonly admission: Pick<AdmitRequestHandler, 'handle' | 'confirm'>;
  readonly answers: Pick<AnswerRequestHandler, 'handle'>;
  readonly router: EndpointRouter;
  readonly window: Window;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a request passes through, in reading order. */
export class Responder {
  readonly #rate: RateHeaders;

  constructor(private readonly parts: ResponderParts) {
    this.#rate = new RateHeaders(parts.window, parts.clock);
  }

  async respond(request: ApiRequest): Promise<Served> {
    let admission: Admission;
    try {
      const key = keyOf(request.headers);
      const minGeneration = minGenerationOf(request.headers) ?? 0;
      admission = await this.parts.admission.handle({ key, minGeneration });
    } catch (error) {
      return this.#refuse(request, error);
    }
    try {
      if (!admission.verdict.admitted) throw new DomainError('over-limit');
      const { operation, segment, query, request: name } = this.parts.router.parse(request);
      const { key, generation, isConfirmed } = admission;
      const { organizationId } = key;
      const compute = async () => renderAnswer(await operation.readContent(organizationId, query, segment));
      const answer = await this.parts.answers.handle({
        organizationId,
        generation,
        isConfirmed,
        confirm: () => this.parts.admission.confirm(admission),
        request: name,
        kind: operation.kind,
        compute,
      });
      return this.#served(admission, answer.source, answerResponse(request, answer));
    } catch (error) {
      return this.#served(admission, null, this.#failure(request, error));
    }
  }

  #served({ key, verdict }: Admission, source: Served['source'], response: ApiResponse): Served {
    return {
      response,
      rate: this.#rate.of(verdict),
      caller: { verdict: verdict.admitted ? 'admitted' : 'refused', key },
      source,
    };
  }

  /** Without a valid key the window is unknown, so none of it is shown. */
  #refuse(request: ApiRequest, error: unknown): Served {
    const [rate, cause] =
      error instanceof CountedFailure
        ? [this.#rate.of(error.verdict), error.cause]
        : [this.#rate.ofNoKey(), error];
    const caller: Caller =
      error instanceof KeyRefused ? { verdict: 'unauthenticated', refusal: error } : { verdict: null };
    return { response: this.#failure(request, cause), rate, caller, source: null };
  }

  /** The cause of a server error is logged and never sent. */
  #failure(request: ApiRequest, error: unknown): ApiResponse {
    if (!isRefusal(error)) this.parts.log.error('request failed', { requestId: request.id, error });
    return errorResponse(error);
  }
}
