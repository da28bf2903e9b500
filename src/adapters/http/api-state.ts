import type { ParameterizedContext } from 'koa';
import type { GivenAnswer } from '../../domain/queries/answer-in-outage.js';
import type { AskedRequest } from './asked-request.js';

/** Who asks, once the request is admitted. */
export interface Caller {
  readonly keyId: string;
  readonly organizationId: string;
  /** Of the organization's content, read when the request came in. */
  readonly generation: number;
  /** False: it is the last one that is known. */
  readonly isConfirmed: boolean;
}

/** What becomes known of a request on its way in. */
export interface ApiState {
  requestId: string;
  /** Of the answer, whatever it will be: name and value by turns. */
  headers: string[];
  caller?: Caller;
  asked?: AskedRequest;
  source?: GivenAnswer['source'];
}

export type ApiContext = ParameterizedContext<ApiState>;
