import { RedisRequestLog } from '../../src/adapters/redis/redis-request-log.js';
import { requestLogContract } from '../../src/contracts/request-log.contract.js';

requestLogContract(() => new RedisRequestLog());
