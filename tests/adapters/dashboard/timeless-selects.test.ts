import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readMapping } from '../../../src/adapters/dashboard/mapping/read-mapping.js';
import { PostgresDashboard } from '../../../src/adapters/dashboard/postgres/dashboard.js';
import { Sha256KeyHasher } from '../../../src/adapters/system/sha256-key-hasher.js';
import { POSTGRES_SERVER } from '../../../src/composition/dashboard-of.js';
import { REFERENCE_MAPPING } from '../../../src/composition/project-folders.js';
import { createDashboard } from '../../support/postgres/migrated-databases.js';

const REFERENCE = readMapping(fileURLToPath(REFERENCE_MAPPING));

describe('A worker whose mapping reads the clock', () => {
  it('refuses to start, even if nobody runs migrate, and says what to map instead', async () => {
    const blogs = `select *, case when published_at <= now() then 'published' else 'draft' end as state from blogs`;
    const written = { ...REFERENCE, selects: { ...REFERENCE.selects, blogs } };
    const url = await createDashboard();
    for (const [mapping, problem] of [
      [REFERENCE, null],
      [written, /^The mapping \(DASHBOARD_MAPPING\): blogs: the select uses now\(\), .* map that status$/],
    ] as const) {
      const connection = new PostgresDashboard(
        url,
        mapping,
        REFERENCE,
        POSTGRES_SERVER,
        new Sha256KeyHasher(),
      ).connect('test');
      const failure = await connection.requireTables().then(
        () => null,
        (error: Error) => error.message,
      );
      await connection.close();
      if (problem === null) expect(failure).to.equal(null);
      else expect(failure).to.match(problem);
    }
  });
});
