import type { RequestLog } from '../domain/ports/request-log.js';

export interface RequestLogSubject {
  readonly subject: RequestLog;
  /**
   * Moves the log's own clock, which stands still otherwise; by a negative number, back. Without it the suite waits through short windows, and
   * leaves out what takes an exact clock: that the window slides to the millisecond, say.
   */
  readonly advance?: (millis: number) => Promise<void>;
}
