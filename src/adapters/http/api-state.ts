import type { ParameterizedContext } from 'koa';
import type { GivenAnswer } from '../../domain/queries/answer-in-outage.js';
import type { AskedRequest } from './asked-request.js';

/** The caller of an admitted request. */
export interface Caller {
  readonly keyId: string;
  readonly organizationId: string;
  /** The generation of the organization's content, read when the request arrived. */
  readonly generation: number;
  /** False: it is the last known generation. */
  readonly isConfirmed: boolean;
}

/** What is known about a request so far. */
export interface ApiState {
  requestId: string;
  /** The headers of the answer, whatever it is: names and values alternate. */
  headers: string[];
  caller?: Caller;
  asked?: AskedRequest;
  source?: GivenAnswer['source'];
}

export type ApiContext = ParameterizedContext<ApiState>;
