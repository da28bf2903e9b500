import { expect } from 'chai';
import type { Knex } from 'knex';
import { openDashboardDatabase } from '../../../src/adapters/sql/postgres/open-database.js';
import { deploymentIn, renderedOverlay } from '../../deployment/rendered-overlay.js';
import { servesOwnDashboard } from '../../deployment/serves-own-dashboard.js';
import { openMysqlDashboard } from '../../support/dashboards/mysql-dashboard.js';
import { createTestDatabase } from '../../support/postgres/test-postgres.js';
import { TestRole } from '../../support/postgres/test-role.js';
import { sharedRedis } from '../../support/redis/test-redis.js';
import { createTestMariaDbDatabase } from '../support/servers/test-mariadb.js';

const TABLES = [
  'create table sites (id int primary key, label varchar(50))',
  `create table posts (id int primary key, site int, headline varchar(50), path varchar(50), body text, live_since datetime,
    key (site))`,
  'create view live_posts as select * from posts where live_since is not null',
  `insert into sites values (1, 'One')`,
  `insert into posts values (1, 1, 'First', 'first', '<p>1</p>', now()), (2, 1, 'Draft', 'draft', '', null)`,
];
/** What docs/dashboards.md says that `migrate` needs. */
const RIGHTS = 'select, create, drop, index, insert, delete, trigger, create routine, alter routine, execute';
const MAPPING = `
time_zone: UTC
websites: select id, 'acme' as organization_id from sites
blogs: |
  select id, site as website_id, headline as title, path as slug, body as content_html, 'published' as status, live_since as published_at
  from live_posts
api_keys: managed
captures:
  sites: { websites: id }
  posts: { blogs: id }
`;

describe('A dashboard on MariaDB with a mapping of its own', () => {
  const redis = sharedRedis();
  let dashboard: Knex | null = null;
  let readTables: Knex | null = null;
  const roles: TestRole[] = [];

  after(async () => {
    for (const role of roles) await role.drop();
    await dashboard?.destroy();
    await readTables?.destroy();
  });

  it('is served by what docs/examples/kubernetes and the component `mariadb` run', async function () {
    const write = await createTestMariaDbDatabase(this);
    const read = await createTestDatabase();
    const owner = openMysqlDashboard(write);
    [dashboard, readTables] = [owner, openDashboardDatabase(read)];
    const [worker, api] = [await TestRole.create(readTables), await TestRole.create(readTables)];
    roles.push(worker, api);
    const job = { name: `${worker.name}_job`, rights: `${RIGHTS} on ${new URL(write).pathname.slice(1)}.*` };
    for (const statement of [
      ...TABLES,
      `create user ${worker.name} identified by '${worker.name}'`,
      `create user ${job.name} identified by '${worker.name}'`,
      `grant ${job.rights} to ${job.name} with grant option`,
      `grant process on *.* to ${job.name}`,
    ])
      await owner.raw(statement);
    const jobUrl = new URL(worker.urlOf(write));
    jobUrl.username = job.name;

    const args = ['migrate', '--with-grants', `--api-role=${api.name}`, `--sync-role=${worker.name}`];
    const patch = `  - target: { kind: Job }
    patch: |
      - { op: replace, path: /spec/template/spec/containers/0/args, value: ${JSON.stringify(args)} }
`;
    const objects = await renderedOverlay(
      this,
      (text) => `${text.replace('components:\n', '$&  - ../deploy/kubernetes/components/mariadb\n')}${patch}`,
      { 'mapping.yaml': MAPPING },
    );
    const ports = objects.filter(
      ({ kind, spec }) => kind === 'NetworkPolicy' && JSON.stringify(spec).includes('3306'),
    );
    expect(ports.map(({ metadata: { name } }) => name)).to.have.members([
      'blog-read-api-sync',
      'blog-read-api-migrate',
    ]);
    const deployment = deploymentIn(objects, {
      'blog-read-api-owner': { 'read-database-url': read, 'write-database-url': jobUrl.href },
      'blog-read-api-sync': {
        'read-database-url': worker.urlOf(read),
        'write-database-url': worker.urlOf(write),
      },
      'blog-read-api': { 'read-database-url': api.urlOf(read), 'redis-url': redis().url },
    });
    const mapping = [...deployment.migrate.files].find(([path]) => path.endsWith('mapping.yaml'));
    expect(mapping?.[1]).to.equal(MAPPING);

    await servesOwnDashboard(deployment, {
      ownerUrl: write,
      mapping: MAPPING,
      titles: ['First'],
      rename: (title) => owner.raw('update posts set headline = ? where id = 1', [title]),
    });
  });
});
