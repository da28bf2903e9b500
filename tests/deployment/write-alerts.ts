import { writeFileSync } from 'node:fs';
import { ALERTS, ALERTS_MANIFEST, alertRules, alertsManifest } from './alert-rules.js';

writeFileSync(ALERTS, alertRules());
writeFileSync(ALERTS_MANIFEST, alertsManifest());
