import { breaker } from '../redis/breaker.js'; // breach
import { patience } from './patience.js';

export const record = () => breaker(patience);
