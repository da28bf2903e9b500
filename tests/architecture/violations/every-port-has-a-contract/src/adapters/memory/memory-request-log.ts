import type { RequestLog } from '../../domain/ports/request-log.js';

export class MemoryRequestLog implements RequestLog {
  record() {}
}
