import { RedisRequestLog } from '../../src/adapters/redis/redis-request-log.js';
import { requestLogContract } from '../../src/contracts/request-log.contract.js';
import { inMemory } from '../support/request-logs.js';

requestLogContract(() => new RedisRequestLog());
requestLogContract(inMemory);
