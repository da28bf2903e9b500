import { MongoRequestLog } from '../../src/adapters/mongo/mongo-request-log.js';
import type { requestLogContract } from '../../src/contracts/request-log.contract.js';

// Imports only the type of the contract suite, and does not run it.
export const mine: [typeof MongoRequestLog, typeof requestLogContract?] = [MongoRequestLog];
