import type { ParameterizedContext } from 'koa';
import type { AnswerKind } from '../../../domain/answers/answer-from-cache.js';
import type { GivenAnswer } from '../../../domain/answers/answer-in-outage.js';
import type { KeyRefusal } from '../../../domain/errors.js';
import type { Snapshot } from '../../../domain/model/snapshot.js';

/** The caller of an admitted request. */
export interface Caller {
  readonly keyId: string;
  readonly organizationId: string;
  /** The generation of the organization's content, read when the request arrived. */
  readonly generation: number;
  /** False: it is the last known generation. */
  readonly isConfirmed: boolean;
}

/** Why a request without a valid key was refused, for operators. */
export interface RefusedKey {
  readonly reason: KeyRefusal;
  /** Undefined: no key is known. */
  readonly keyId: string | undefined;
  readonly organizationId: string | undefined;
}

/** What a request asks for, parsed from its address. */
export interface ParsedRequest {
  /** The path of the endpoint that answers, with the name of its variable part. */
  readonly route: string;
  readonly kind: AnswerKind;
  /** In canonical form. */
  readonly request: string;
  /** Computes the answer, without rendering it as JSON. */
  readonly answer: (organizationId: string, snapshot: Snapshot) => Promise<object>;
}

/** What is known about a request so far. */
export interface ApiState {
  requestId: string;
  /** The headers of the answer, whatever it is: names and values alternate. */
  headers: string[];
  caller?: Caller;
  refusedKey?: RefusedKey;
  parsed?: ParsedRequest;
  source?: GivenAnswer['source'];
}

export type ApiContext = ParameterizedContext<ApiState>;
