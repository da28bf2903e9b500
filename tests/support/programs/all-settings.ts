import type { Setting } from '../../../src/composition/settings/setting.js';
import { SETTINGS } from '../../../src/composition/settings/settings.js';

export const ALL_SETTINGS = Object.values<Setting<unknown>>(SETTINGS);
