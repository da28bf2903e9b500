import { RedisRequestLog } from '../../src/adapters/redis/redis-request-log.js';
import { requestLogContract } from '../contracts/request-log.contract.js';

requestLogContract(() => new RedisRequestLog());
