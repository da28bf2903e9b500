import { architectureRules, CRUISE_OPTIONS, forbid, packageHome } from 'blog-content-read-api/architecture';

/**
 * Who may import whom: docs/architecture.md, rules 1 to 5, 8 and 9, one entry per statement. Imports of types count like any other. What
 * holds for any package with these layers is in src/architecture, and shipped.
 *
 * A team that adds src/adapters/<its own> is covered without a change, and can run the rules by themselves:
 *
 *   npx depcruise --config tests/architecture/rules.mjs src
 *
 * A package that should have one home only gets it in `homes` below. A new rule needs a breach planted in violations/<its name>/.
 * Rule 6 and the contracts of the ports are not about imports alone: see domain-purity.ts and contracts.ts.
 */

const driving = '(http|cli)/';

const domain = [
  forbid(
    'model-is-a-leaf',
    'Every layer sees the model, so whatever it imports, every layer imports: it is data, and needs nothing.',
    { path: '^src/domain/model/' },
    { path: '^src/domain/(?!model/)' },
  ),
  forbid(
    'policies-see-the-model-only',
    'A policy decides from what it is given. With a port in reach it would fetch for itself, and no longer be pure.',
    { path: '^src/domain/policies/' },
    { path: '^src/domain/(?!(model|policies)/|errors\\.ts$)' },
  ),
  forbid(
    'ports-see-model-and-policies-only',
    'A port is implemented outside: what it imports, every adapter has to know. Queries and sync use ports, never the reverse.',
    { path: '^src/domain/ports/' },
    { path: '^src/domain/(?!(model|policies|ports)/|errors\\.ts$)' },
  ),
  forbid(
    'queries-and-sync-never-see-each-other',
    'Two programs share one hexagon: the API must deploy, and be understood, without the sync job, and the other way round.',
    { path: '^src/domain/(queries|sync)/' },
    { path: '^src/domain/(queries|sync)/', pathNot: '^src/domain/$1/' },
  ),
];

const adapters = [
  forbid(
    'driven-adapters-never-call-queries-or-sync',
    'A driven adapter is called by them. Were it to call back, reading one row could start a whole use case.',
    { path: '^src/adapters/', pathNot: `^src/adapters/${driving}` },
    { path: '^src/domain/(queries|sync)/' },
  ),
  forbid(
    'driving-adapters-never-use-the-projection',
    "The projection is the sync step's own. A second user would fill or show the read tables past the queue.",
    { path: `^src/adapters/${driving}` },
    { path: '^src/domain/sync/projection' },
  ),
];

const programs = [
  forbid(
    'composition-never-imports-programs',
    'Composition says what a program is made of. What a program does with that can change without the wiring.',
    { path: '^src/composition/' },
    { path: '^src/programs/' },
  ),
  forbid(
    'a-program-imports-no-other-program',
    'Each is read, and run, without the others. What several of them need is in dashboards or operations; embedded runs the others, and the doctor examines a worker.',
    { path: '^src/programs/([^/]+)/', pathNot: '^src/programs/(embedded|doctor)/' },
    { path: '^src/programs/[^/]+/', pathNot: '^src/programs/($1|dashboards|operations)/' },
  ),
  forbid(
    'operations-know-no-program',
    'What all programs show to operators is the same for each of them. A program hands in what is its own.',
    { path: '^src/programs/operations/' },
    { path: '^src/programs/[^/]+/', pathNot: '^src/programs/operations/' },
  ),
];

/** @param {string} names */
const packages = (names) => `(^|node_modules/)(${names})(/|$)`;

/** @type {(name: string, names: string, folders: readonly string[], comment: string) => import('blog-content-read-api/architecture').Rule} */
const home = (name, names, folders, comment) =>
  packageHome(
    name,
    names,
    folders.map((folder) => `src/${folder}`),
    comment,
  );

const homes = [
  home(
    'koa-and-typebox-stay-in-http',
    'koa|@koa/router|typebox',
    ['adapters/http'],
    'HTTP is one way in. The operator commands and the sync job know nothing of requests, routes or schemas.',
  ),
  home(
    'ajv-stays-where-others-write',
    'ajv',
    ['adapters/http', 'adapters/dashboard/mapping'],
    'A schema judges what people outside of the project write: requests, and mappings of dashboards. All else is typed.',
  ),
  home(
    'yaml-stays-in-the-mapping',
    'yaml',
    ['adapters/dashboard/mapping'],
    'The mapping of a dashboard is the one file that people write for this service. All else is told by the environment.',
  ),
  forbid(
    'the-mapping-knows-no-database',
    'All kinds of databases are mapped alike: what one of them needs stands in its own folder, and no kind sees another.',
    { path: '^src/adapters/dashboard/mapping/' },
    { path: '^src/adapters/dashboard/(?!mapping/)|(^|node_modules/)(knex|pg|mysql2)(/|$)' },
  ),
  home(
    'knex-and-pg-stay-in-the-sql-adapters',
    'knex|pg|pg-copy-streams',
    ['adapters/postgres', 'adapters/dashboard', 'adapters/embedded'],
    'SQL elsewhere would tie another layer to one database, and escape the contract suites that run on the real one.',
  ),
  home(
    'mysql2-stays-in-the-mysql-dashboards',
    'mysql2',
    ['adapters/dashboard/mysql'],
    'The driver is optional: an installation with a dashboard on PostgreSQL runs without it, so that nothing else may load it.',
  ),
  forbid(
    'one-kind-of-dashboard-sees-no-other',
    'Each kind of database speaks its own SQL. A statement that two of them share is right for one of them, until a server is upgraded.',
    { path: '^src/adapters/dashboard/(mysql|postgres)/' },
    { path: '^src/adapters/dashboard/(mysql|postgres)/', pathNot: '^src/adapters/dashboard/$1/' },
  ),
  forbid(
    'embedded-does-without-knex',
    'It starts and stops a server. The tables in it belong to postgres and dashboard, which migrate them on any server.',
    { path: '^src/adapters/embedded/' },
    { path: packages('knex') },
  ),
  home(
    'ioredis-stays-in-redis',
    'ioredis',
    ['adapters/redis'],
    'Redis is optional: everything else must run where it is not installed, and survive it going away.',
  ),
  home(
    'inversify-stays-in-composition',
    'inversify',
    ['composition'],
    'A class that knows the container can be made only by the container. Constructors stay plain; composition wires them.',
  ),
  home(
    'reflect-metadata-stays-at-the-entry-points',
    'reflect-metadata',
    ['bin', 'package'],
    'It patches a global for the container: loaded once, at the entry point, so that no other module relies on it.',
  ),
  home(
    'pino-stays-in-system',
    'pino|pino-pretty',
    ['adapters/system'],
    'Logging is a port: others log through it, so that one place decides on format, level and what is kept secret.',
  ),
  home(
    'prom-client-stays-in-operations',
    'prom-client',
    ['adapters/operations'],
    'Counting is a port, and what is read at a scrape is handed in: one place decides on names and labels, which others build on.',
  ),
  home(
    'opentelemetry-stays-in-tracing',
    '@opentelemetry',
    ['adapters/tracing'],
    'Most run without traces: what is not loaded costs nothing. Composition wraps the ports in spans where they are wanted.',
  ),
];

const client = [
  forbid(
    'client-imports-its-own-folder-only',
    "It runs on the consumer's side, in whatever runs JavaScript: nothing of the service, no package and no node: module is there.",
    { path: '^src/client/' },
    { pathNot: '^src/client/', dependencyTypesNot: ['unknown'] },
  ),
  forbid(
    'nothing-imports-the-client',
    'The service knows its consumers by what it promises over HTTP alone. Were it to use their client, one could not change without the other.',
    // Domain and adapters are forbidden above to import it.
    { path: '^src/(bin|programs|composition)/' },
    { path: '^src/client/' },
  ),
];

const contracts = [
  forbid(
    'contracts-import-the-domain-and-test-packages-only',
    'A suite says what a port promises, whatever is behind it: were it to know an adapter, it would promise what that one happens to do.',
    { path: '^src/contracts/' },
    {
      pathNot: ['^src/(contracts|domain)/', packages('chai|fast-check|@types/chai')],
      dependencyTypesNot: ['core', 'unknown'],
    },
  ),
  forbid(
    'nothing-runs-the-contracts',
    'The suites are shipped for tests, with packages that an installation of a program does not have.',
    // Domain and adapters are forbidden above to import them.
    { path: '^src/(bin|programs|composition)/' },
    { path: '^src/(contracts|architecture)/' },
  ),
];

export default {
  forbidden: [...architectureRules(), ...domain, ...adapters, ...programs, ...homes, ...client, ...contracts],
  options: CRUISE_OPTIONS,
};
