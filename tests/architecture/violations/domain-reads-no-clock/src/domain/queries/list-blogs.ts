import type { Blog } from '../model/blog.js';

export const now = Date.now(); // breach
export const today = new Date(); // breach
export const started = new Date; // breach
export const text = Date(); // breach
export const indexed = Date['now'](); // breach
export const clock = Date; // breach
export const elapsed = performance.now(); // breach

// Date.now() in a comment and the following do not read the clock.
export const epoch = new Date(0);
export const parsed = Date.parse('2026-01-01') - Date.UTC(2026, 0);
export const isDate = (value: unknown): value is Date => value instanceof Date;
export const age = (blog: Blog, clock: { performance: number }) => clock.performance - blog.publishedAt.getTime();
