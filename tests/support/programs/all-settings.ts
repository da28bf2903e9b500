import type { Setting } from '../../../src/composition/settings/setting.js';
import * as settings from '../../../src/composition/settings/settings.js';

const { DEFAULT_ADMIN_PORT, LOG, OPERATIONS, SERVING, REDIS, ...others } = settings;

/** Every setting. Two may share a variable if a program has its own default. */
export const ALL_SETTINGS = Object.values<Setting<unknown>>({ ...others, ...SERVING, ...REDIS });
