import { setTimeout } from 'node:timers/promises'; // breach
import { LRUCache } from 'lru-cache'; // breach
import type { Blog } from '../domain/model/blog.js'; // breach
import { address } from './address.js';

export const remembered = new LRUCache<string, Blog>({ max: 10 });
export const later = setTimeout(1, address);
