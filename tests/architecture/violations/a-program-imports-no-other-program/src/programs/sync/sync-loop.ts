import { checks } from '../admin/checks.js';

export const loop = { checks };
