import type { RequestCount } from '../../domain/ports/request-log.js';

export class RedisRequestCount implements RequestCount { // breach
  record() {}
}
