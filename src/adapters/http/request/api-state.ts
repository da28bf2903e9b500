import type { ParameterizedContext } from 'koa';
import type { GivenAnswer } from '../../../domain/answers/answer-request.js';
import type { KeyRefusal } from '../../../domain/errors.js';

/** The caller of an admitted request. */
export interface Caller {
  readonly keyId: string;
  readonly organizationId: string;
  /** The generation of the organization's content, read when the request arrived. */
  readonly generation: number;
  /** False: it is the last known generation. */
  readonly isConfirmed: boolean;
  /** Reads the current one. */
  readonly confirm: () => Promise<number>;
}

/** Why a request without a valid key was refused, for operators. */
export interface RefusedKey {
  readonly reason: KeyRefusal;
  /** Undefined: no key is known. */
  readonly keyId: string | undefined;
  readonly organizationId: string | undefined;
}

/** What is known about a request so far. */
export interface ApiState {
  requestId: string;
  /** The headers of the response, whatever it is: names and values alternate. */
  headers: string[];
  caller?: Caller;
  refusedKey?: RefusedKey;
  /** The path of the endpoint that answers, with the name of its variable part. */
  route?: string;
  /** Where the answer came from. */
  source?: GivenAnswer['source'];
}

export type ApiContext = ParameterizedContext<ApiState>;
