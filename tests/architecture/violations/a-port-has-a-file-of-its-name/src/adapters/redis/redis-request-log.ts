import type { RequestLog } from '../../domain/ports/request-log.js';

export class RedisRequestLog implements RequestLog {
  record() {}
}
