import { breaker } from '../redis/breaker.js'; // breach

export const open = () => breaker(1);
