import { MemoryRequestLog } from '../../src/adapters/memory/memory-request-log.js';

export const inMemory = () => new MemoryRequestLog();
