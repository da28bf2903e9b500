import { SystemClock } from '../../src/adapters/system/system-clock.js';
import { clockContract } from '../../src/contracts/clock.contract.js';

clockContract(() => new SystemClock());
