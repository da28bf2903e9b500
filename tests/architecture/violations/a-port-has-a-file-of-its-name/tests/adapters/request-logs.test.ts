import { RedisRequestLog } from '../../src/adapters/redis/redis-request-log.js';
import { MemoryRequestLog } from '../../src/adapters/memory/memory-request-log.js';
import { requestLogContract } from '../../src/contracts/request-log.contract.js';

requestLogContract(() => new RedisRequestLog());
requestLogContract(() => new MemoryRequestLog());
