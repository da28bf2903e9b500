import { writeFile } from 'node:fs/promises';
import { apiReport } from '../support/api-report.js';

/** `npm run api:report` */
await writeFile('docs/package-api.md', apiReport());
