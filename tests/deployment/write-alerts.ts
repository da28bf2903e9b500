import { writeFileSync } from 'node:fs';
import { ALERTS_MANIFEST, alertsManifest } from './alert-rules.js';

writeFileSync(ALERTS_MANIFEST, alertsManifest());
