import { writeFile } from 'node:fs/promises';
import { apiReport } from './api-report.js';

/** `npm run api:report` */
await writeFile('docs/package-api.md', apiReport());
