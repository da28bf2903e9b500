import { checks } from '../operations/checks.js';

export const loop = { checks };
