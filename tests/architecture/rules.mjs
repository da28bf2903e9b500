import { architectureRules, CRUISE_OPTIONS, forbid, packageHome } from 'blog-content-read-api/architecture';

/**
 * Which layers may import which: docs/architecture.md, rules 1 to 5 and 8, one entry for each statement. Imports
 * of types count like any other. The rules that hold for any package with these layers are in src/architecture, which
 * is shipped.
 *
 * They also apply to src/adapters/<new folder> of a team, without a change. To run only these rules:
 *
 *   npx depcruise --config tests/architecture/rules.mjs src
 *
 * A package that only some folders may import is an entry of `homes` below. A new rule needs a planted breach in
 * violations/<its name>/. Rule 6 and the contracts of the ports concern more than imports: see domain-purity.ts and
 * contracts.ts.
 */

const driving = '(http|cli)/';
const useCases = '(domain/queries|application/requests|application/sync)';

const domain = [
  forbid(
    'the-domain-knows-no-application',
    'What a blog, a key and a limit are is read without what the programs do with them. Move what both need into the domain.',
    { path: '^src/domain/' },
    { path: '^src/application/' },
  ),
  forbid(
    'model-is-a-leaf',
    'Every layer imports the model, and with it whatever the model imports: it is data, and needs nothing.',
    { path: '^src/domain/model/' },
    { path: '^src/domain/(?!model/)' },
  ),
  forbid(
    'policies-see-the-model-only',
    'A policy decides from its arguments. With a port it could fetch data itself, and would no longer be pure.',
    { path: '^src/domain/policies/' },
    { path: '^src/domain/(?!(model|policies)/|errors\\.ts$)' },
  ),
  forbid(
    'ports-see-model-and-policies-only',
    'Adapters implement a port, so every adapter depends on what the port imports. Use cases use ports, never the reverse.',
    { path: '^src/domain/ports/' },
    { path: '^src/domain/(?!(model|policies|ports)/|errors\\.ts$)' },
  ),
  forbid(
    'use-cases-never-see-each-other',
    'Each is understood without the others: what is asked for, how a request is answered, and how the read tables are filled.',
    { path: `^src/${useCases}/` },
    { path: `^src/${useCases}/`, pathNot: '^src/$1/' },
  ),
];

const adapters = [
  forbid(
    'driven-adapters-never-call-use-cases',
    'Use cases call driven adapters. If an adapter called back, reading one row could start a whole use case.',
    { path: '^src/adapters/', pathNot: `^src/adapters/${driving}` },
    { path: `^src/${useCases}/` },
  ),
  forbid(
    'only-the-sql-adapters-import-sql',
    'It is how a client of PostgreSQL or MariaDB is held. Whoever imports it depends on SQL, and is one of these adapters.',
    { path: '^src/adapters/(?!(sql|postgres|dashboard)/)' },
    { path: '^src/adapters/sql/' },
  ),
  forbid(
    'driving-adapters-never-use-the-projection',
    'Only the steps of the sync use the projection. Another user would fill the read tables without the queue.',
    { path: `^src/adapters/${driving}` },
    { path: '^src/domain/policies/projection' },
  ),
];

const programs = [
  forbid(
    'composition-never-imports-programs',
    'Composition assembles the parts of a program. What the program does with them can change without the wiring.',
    { path: '^src/composition/' },
    { path: '^src/programs/' },
  ),
  forbid(
    'a-program-imports-no-other-program',
    'Each program is read and run without the others. What several of them need is in admin; embedded runs other programs, and the doctor examines an API and a worker.',
    { path: '^src/programs/([^/]+)/', pathNot: '^src/programs/(embedded|doctor|admin)/' },
    { path: '^src/programs/[^/]+/', pathNot: '^src/programs/($1|admin)/' },
  ),
  forbid(
    'admin-knows-no-program',
    'All programs offer operators the same interface. A program passes its own checks and metrics to it.',
    { path: '^src/programs/admin/' },
    { path: '^src/programs/[^/]+/', pathNot: '^src/programs/admin/' },
  ),
];

/** @param {string} names */
const packages = (names) => `(^|node_modules/)(${names})(/|$)`;

/**
 * @type {(name: string, names: string, folders: readonly string[], comment: string) =>
 * import('blog-content-read-api/architecture').Rule}
 */
const home = (name, names, folders, comment) =>
  packageHome(
    name,
    names,
    folders.map((folder) => `src/${folder}`),
    comment,
  );

/** One function makes these rules, so only one of them has a planted breach. */
export const homes = [
  home(
    'koa-stays-in-http',
    'koa|@koa/router',
    ['adapters/http'],
    'HTTP is only one of the interfaces. The operator commands and the sync job have no requests, routes or schemas.',
  ),
  home(
    'ajv-stays-in-http',
    'ajv',
    ['adapters/http'],
    'A schema validates the requests of consumers. Everything else is typed.',
  ),
  home(
    'yaml-stays-in-the-mapping-the-webhooks-and-the-status',
    'yaml',
    ['adapters/dashboard/mapping', 'adapters/webhooks', 'adapters/cli'],
    'The mapping of a dashboard and the list of webhooks are the only files that people write for this service. Everything else is set in the environment.',
  ),
  home(
    'knex-and-pg-stay-in-the-sql-adapters',
    'knex|pg|pg-copy-streams',
    ['adapters/sql', 'adapters/postgres', 'adapters/dashboard', 'adapters/embedded'],
    'SQL elsewhere would tie another layer to one database, and the contract suites would not run it on a real one.',
  ),
  home(
    'mysql2-stays-in-the-mysql-dashboards',
    'mysql2',
    ['adapters/sql/mysql', 'adapters/dashboard/mysql'],
    'The driver is optional: an installation with a PostgreSQL dashboard runs without it, so nothing else may load it.',
  ),
  home(
    'ioredis-stays-in-redis',
    'ioredis|cluster-key-slot',
    ['adapters/redis'],
    'Redis is optional: everything else must run without it, and continue when it becomes unavailable.',
  ),
  home(
    'inversify-stays-in-composition',
    'inversify',
    ['composition'],
    'Only the container can create a class that depends on it. Constructors stay plain; composition wires them.',
  ),
  home(
    'reflect-metadata-stays-at-the-entry-points',
    'reflect-metadata',
    ['bin', 'package'],
    'It patches a global for the container: the entry points load it once, so that no other module relies on it.',
  ),
  home(
    'pino-stays-in-system',
    'pino',
    ['adapters/system'],
    'Logging is a port: everything else logs through it, so that one place decides on format, level and redaction.',
  ),
  home(
    'prom-client-stays-in-operations',
    'prom-client',
    ['adapters/operations'],
    'Counting is a port, and values for a scrape are passed in: one place decides on names and labels, which dashboards and alerts use.',
  ),
];

const databases = [
  forbid(
    'the-mapping-knows-no-database',
    'All kinds of databases are mapped in the same way. The specifics of each kind are in its own folder.',
    { path: '^src/adapters/dashboard/mapping/' },
    { path: '^src/adapters/dashboard/(?!mapping/)|(^|node_modules/)(knex|pg|mysql2)(/|$)' },
  ),
  forbid(
    'one-kind-of-dashboard-sees-no-other',
    'Each kind of database has its own SQL. An upgrade of one server could break a statement that both share.',
    { path: '^src/adapters/dashboard/(mysql|postgres)/' },
    { path: '^src/adapters/dashboard/(mysql|postgres)/', pathNot: '^src/adapters/dashboard/$1/' },
  ),
  forbid(
    'embedded-does-without-knex',
    'This adapter starts and stops a server. Its tables belong to postgres and dashboard, which migrate them on any server.',
    { path: '^src/adapters/embedded/' },
    { path: packages('knex') },
  ),
];

const contracts = [
  forbid(
    'contracts-import-the-domain-and-test-packages-only',
    'A suite states the promises of a port for any adapter. If it depended on one adapter, it would promise what that one happens to do.',
    { path: '^src/contracts/' },
    {
      pathNot: ['^src/(contracts|domain)/', packages('chai|fast-check|@types/chai')],
      dependencyTypesNot: ['core', 'unknown'],
    },
  ),
  forbid(
    'nothing-runs-the-contracts',
    'The suites are shipped for tests, with packages that an installation of a program does not have.',
    // Rules above forbid the domain and adapters to import them.
    { path: '^src/(bin|programs|composition)/' },
    { path: '^src/(contracts|architecture)/' },
  ),
];

export default {
  forbidden: [
    ...architectureRules(),
    ...domain,
    ...adapters,
    ...programs,
    ...homes,
    ...databases,
    ...contracts,
  ],
  options: CRUISE_OPTIONS,
};
