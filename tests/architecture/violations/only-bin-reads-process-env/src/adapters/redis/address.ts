import { env } from 'node:process'; // breach
import process from 'node:process';

export const byImport = env.REDIS_URL;
export const byProperty = process.env.REDIS_URL; // breach
export const byIndex = process['env']; // breach
export const byGlobal = globalThis.process.env; // breach
export const { env: byPattern } = process; // breach

export const address = (options: { env: string }) => options.env + process.platform;
