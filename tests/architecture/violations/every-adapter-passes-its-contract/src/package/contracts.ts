export * from '../contracts/key-hasher.contract.js';
export * from '../contracts/request-log.contract.js';
