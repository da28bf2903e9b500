export * from '../contracts/clock.contract.js';
export * from '../contracts/generations.contract.js';
export * from '../contracts/request-log.contract.js';
