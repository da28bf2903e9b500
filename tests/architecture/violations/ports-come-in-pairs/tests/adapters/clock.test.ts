import { systemClock } from '../../src/adapters/system/system-clock.js';
import { clockContract } from '../contracts/clock.contract.js';

clockContract(() => systemClock);
