import type { RequestLog } from '../../domain/ports/answering/request-log.js';

export interface RequestLogSubject {
  readonly subject: RequestLog;
  /**
   * Moves the log's own clock, which stands still; a negative number moves it back. Without it,
   * tests wait through short windows, and those that need an exact clock are skipped.
   */
  readonly advance?: (millis: number) => Promise<void>;
}
