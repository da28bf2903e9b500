export * from '../contracts/request-log.contract.js';
