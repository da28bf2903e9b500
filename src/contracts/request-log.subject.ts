import type { RequestLog } from '../domain/ports/request-log.js';

export interface RequestLogSubject {
  readonly subject: RequestLog;
  /**
   * Moves the log's own clock, which otherwise stands still. A negative number moves it back. Without it, the suite waits through short
   * windows and leaves out tests that need an exact clock, such as the one that the window slides to the millisecond.
   */
  readonly advance?: (millis: number) => Promise<void>;
}
