import { Redis } from 'ioredis'; // breach

export const redis = new Redis();
