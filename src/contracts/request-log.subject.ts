import type { RequestLog } from '../domain/ports/request-log.js';

export interface RequestLogSubject {
  readonly subject: RequestLog;
  /** Moves the log's own clock; by a negative number, back. Without it the suite waits through short windows. */
  readonly advance?: (millis: number) => Promise<void>;
}
