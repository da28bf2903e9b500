import { type Admission, type Admissions, CountedFailure } from '../../../application/requests/admissions.js';
import type { Answers, GivenAnswer } from '../../../application/requests/answers.js';
import { DomainError, type KeyRefusal, KeyRefused } from '../../../domain/errors.js';
import type { ApiKey } from '../../../domain/model/api-key.js';
import type { Log } from '../../../domain/ports/system/log.js';
import type { CountedRequest } from '../../../domain/ports/system/metrics.js';
import { type ApiRequest, keyOf } from '../request/api-request.js';
import type { EndpointRouter } from '../request/endpoint-router.js';
import { minGenerationOf } from '../request/request-parser.js';
import { answerResponse } from '../response/answer-response.js';
import type { ApiResponse } from '../response/api-response.js';
import { errorResponse, isRefusal } from '../response/error-response.js';
import type { RateHeaders } from '../response/rate-headers.js';

export interface Served {
  readonly response: ApiResponse;
  /** The headers of the limit. */
  readonly rate: ApiResponse['headers'];
  readonly verdict: CountedRequest['verdict'];
  /** Whose request it was: for operators, not for callers. Null: unknown. */
  readonly key: ApiKey | null;
  /** Null: the key was not refused. */
  readonly reason: KeyRefusal | null;
  /** Null: an error. */
  readonly source: GivenAnswer['source'] | null;
}

export interface ResponderParts {
  readonly admissions: Pick<Admissions, 'admit'>;
  readonly answers: Pick<Answers, 'answer'>;
  readonly endpoints: Pick<EndpointRouter, 'parse'>;
  readonly rateHeaders: RateHeaders;
  readonly log: Log;
}

/** What a request passes through, in reading order. */
export class Responder {
  constructor(private readonly parts: ResponderParts) {}

  async respond(request: ApiRequest): Promise<Served> {
    let admission: Admission;
    try {
      const key = keyOf(request.headers);
      const minGeneration = minGenerationOf(request.headers) ?? 0;
      admission = await this.parts.admissions.admit({ key, minGeneration });
    } catch (error) {
      return this.#refuse(request, error);
    }
    try {
      if (!admission.verdict.admitted) throw new DomainError('over-limit');
      const call = this.parts.endpoints.parse(request);
      const given = await this.parts.answers.answer(admission, call);
      return this.#served(admission, given.source, answerResponse(request, given));
    } catch (error) {
      return this.#served(admission, null, this.#failure(request, error));
    }
  }

  #served({ key, verdict }: Admission, source: Served['source'], response: ApiResponse): Served {
    return {
      response,
      rate: this.parts.rateHeaders.of(verdict),
      verdict: verdict.admitted ? 'admitted' : 'refused',
      key,
      reason: null,
      source,
    };
  }

  /** Without a valid key the window is unknown, so none of it is shown. */
  #refuse(request: ApiRequest, error: unknown): Served {
    const [rate, cause] =
      error instanceof CountedFailure
        ? [this.parts.rateHeaders.of(error.verdict), error.cause]
        : [this.parts.rateHeaders.ofNoKey(), error];
    const { key, reason } = error instanceof KeyRefused ? error : { key: null, reason: null };
    const verdict = reason === null ? null : 'unauthenticated';
    return { response: this.#failure(request, cause), rate, verdict, key, reason, source: null };
  }

  /** The cause of a server error is logged and never sent. */
  #failure(request: ApiRequest, error: unknown): ApiResponse {
    if (!isRefusal(error)) this.parts.log.error('request failed', { requestId: request.id, error });
    return errorResponse(error);
  }
}
