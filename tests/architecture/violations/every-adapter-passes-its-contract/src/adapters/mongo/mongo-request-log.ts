import type { RequestLog } from '../../domain/ports/request-log.js';

export class MongoRequestLog implements RequestLog { // breach
  record() {}
}
