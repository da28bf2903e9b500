import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { openDashboardDatabase } from '../../src/adapters/sql/postgres/open-database.js';
import { eventually } from '../../src/contracts/support/eventually.js';
import { NEWSROOM, NEWSROOM_CONTENT } from '../support/dashboards/second-dashboard.js';
import { runSql } from '../support/postgres/run-sql.js';
import { createTestDatabase } from '../support/postgres/test-postgres.js';
import { TestRole } from '../support/postgres/test-role.js';
import { sharedRedis } from '../support/redis/test-redis.js';
import { Receiver, SECRET } from '../support/webhooks/receiver.js';
import { deploymentIn, EXAMPLE, renderedOverlay } from './rendered-overlay.js';
import { servesOwnDashboard } from './serves-own-dashboard.js';
import { containerOf } from './systemd-unit.js';

const COMPOSE = 'docs/examples/compose/compose.yaml';
const COMPONENTS = ['webhooks', 'extension', 'authority', 'argo-cd'];
const EXTENSION = `export default { name: 'own', api() {}, worker() {} };`;

describe('A dashboard with a mapping of its own', () => {
  const redis = sharedRedis();
  let urls: { write: string; read: string };
  let close: () => Promise<void>;
  let worker: TestRole;
  let api: TestRole;
  let receiver: Receiver;
  let mapping: string;

  const roleArguments = () => ['--with-grants', `--api-role=${api.name}`, `--sync-role=${worker.name}`];
  const dashboard = () => ({
    ownerUrl: urls.write,
    mapping,
    titles: Array.from({ length: 30 }, (_, index) => index + 1)
      .filter((number) => number % 3 !== 0)
      .map((number) => `Headline ${number}`),
    rename: (title: string) =>
      runSql(urls.write, `update newsroom.articles set headline = '${title}' where article_no = 1`),
  });

  beforeEach(async () => {
    urls = { write: await createTestDatabase(), read: await createTestDatabase() };
    await runSql(urls.write, `${NEWSROOM} ${NEWSROOM_CONTENT}`);
    const [write, read] = [openDashboardDatabase(urls.write), openDashboardDatabase(urls.read)];
    [worker, api] = [await TestRole.create(write, read), await TestRole.create(read)];
    receiver = await Receiver.start();
    mapping = await readFile(`${EXAMPLE}/mapping.yaml`, 'utf8');
    close = async () => {
      for (const role of [worker, api]) await role.drop();
      for (const database of [write, read]) await database.destroy();
      await receiver.stop();
    };
  });

  afterEach(() => close());

  it('is served by what docs/examples/kubernetes and the components run, with webhooks, an extension and an authority', async function () {
    const objects = await renderedOverlay(
      this,
      (text) =>
        `${text
          .replace('components:\n', (line) =>
            COMPONENTS.reduce((lines, name) => `${lines}  - ../deploy/kubernetes/components/${name}\n`, line),
          )
          .replace(
            'configMapGenerator:\n',
            '$&  - { name: blog-read-api-webhooks, files: [webhooks.yaml] }\n' +
              '  - { name: blog-read-api-extension, files: [extension.mjs] }\n' +
              '  - { name: blog-read-api-authority, files: [ca.crt] }\n',
          )}
  - target: { kind: Job }
    patch: |
      - { op: replace, path: /spec/template/spec/containers/0/args, value: ${JSON.stringify(['migrate', ...roleArguments()])} }
`,
      {
        'webhooks.yaml': `endpoints: [{ url: '${receiver.url}', secret_file: site }]`,
        'extension.mjs': EXTENSION,
        'ca.crt': await readFile('tests/support/network/tls/certificate.pem', 'utf8'),
      },
    );
    const deployment = deploymentIn(objects, {
      'blog-read-api-owner': { 'read-database-url': urls.read, 'write-database-url': urls.write },
      'blog-read-api-sync': {
        'read-database-url': worker.urlOf(urls.read),
        'write-database-url': worker.urlOf(urls.write),
      },
      'blog-read-api': { 'read-database-url': api.urlOf(urls.read), 'redis-url': redis().url },
      'blog-read-api-webhooks': { site: SECRET },
    });
    for (const { environment } of Object.values(deployment))
      expect(environment).to.include.keys('EXTENSIONS', 'NODE_EXTRA_CA_CERTS');
    expect(deployment.api.environment).not.to.have.any.keys(
      'DASHBOARD_MAPPING',
      'WEBHOOKS',
      'WRITE_DATABASE_URL_FILE',
    );

    await servesOwnDashboard(deployment, dashboard());
    await eventually(async () => expect(receiver.calls).not.to.have.length(0));
    const waves = objects.flatMap(({ kind, metadata: { annotations } }) =>
      annotations === undefined ? [] : [`${kind} ${annotations['argocd.argoproj.io/sync-wave']}`],
    );
    expect(waves.sort()).to.eql(['Deployment 2', 'Deployment 2', 'Job 1']);
  });

  it('is served by what docs/examples/compose runs', async () => {
    const { services, secrets } = parse(await readFile(COMPOSE, 'utf8'), { merge: true });
    const files = new Map<string, string>([
      ['/app/settings/mapping.yaml', mapping],
      ['/run/secrets/owner-of-read-tables', urls.read],
      ['/run/secrets/owner-of-dashboard', urls.write],
      ['/run/secrets/worker-in-read-tables', worker.urlOf(urls.read)],
      ['/run/secrets/worker-in-dashboard', worker.urlOf(urls.write)],
      ['/run/secrets/api-in-read-tables', api.urlOf(urls.read)],
    ]);
    expect(Object.keys(secrets).map((name) => `/run/secrets/${name}`)).to.have.members(
      [...files.keys()].filter((path) => path.startsWith('/run')),
    );
    const container = (name: string) => {
      const { command, environment, secrets: given = [], volumes } = services[name];
      expect(volumes).to.eql(['./settings:/app/settings:ro']);
      const values = Object.entries<string | number>(environment).map(([variable, value]) => [
        variable,
        String(value)
          .replace(/^\$\{\w+:-\}$/, '')
          .replace('redis://redis:6379', redis().url),
      ]);
      return {
        args: name === 'migrate' ? [command[0], ...roleArguments()] : command,
        environment: Object.fromEntries(values),
        files: new Map(
          [...files].filter(([path]) => !path.startsWith('/run') || given.includes(path.split('/').at(-1))),
        ),
      };
    };
    await servesOwnDashboard(
      { migrate: container('migrate'), sync: container('sync'), api: container('api') },
      dashboard(),
    );
  });

  it('is served by what the units of systemd run', async () => {
    const contents = new Map([
      ['/etc/blog-read-api/mapping.yaml', mapping],
      ['/etc/blog-read-api/owner-of-read-tables', urls.read],
      ['/etc/blog-read-api/owner-of-dashboard', urls.write],
      ['/etc/blog-read-api/worker-in-read-tables', worker.urlOf(urls.read)],
      ['/etc/blog-read-api/worker-in-dashboard', worker.urlOf(urls.write)],
      ['/etc/blog-read-api/api-in-read-tables', api.urlOf(urls.read)],
      ['/etc/blog-read-api/redis', redis().url],
    ]);
    const migrate = containerOf('blog-read-api-migrate', contents);
    expect(migrate.args).to.include('--with-grants');
    await servesOwnDashboard(
      {
        migrate: { ...migrate, args: ['migrate', ...roleArguments()] },
        sync: containerOf('blog-read-api-sync', contents),
        // Several processes cannot share port 0.
        api: { ...containerOf('blog-read-api', contents), args: ['api'] },
      },
      dashboard(),
    );
  });

  it('has the mapping of the page, and names the repository and the version of package.json', async () => {
    expect(await readFile('docs/dashboards.md', 'utf8')).to.contain(`\`\`\`yaml\n${mapping}\`\`\``);
    const kustomization = await readFile(`${EXAMPLE}/kustomization.yaml`, 'utf8');
    const repository = packageJson.homepage.split('#')[0] ?? '';
    const sources = kustomization.match(/(?<=- )https:\S+/g) ?? [];
    expect(sources).not.to.have.length(0);
    for (const source of sources)
      expect(source).to.match(
        new RegExp(`^${repository}//deploy/kubernetes/\\S+\\?ref=v${packageJson.version}$`),
      );
    const [, owner = ''] = /github\.com\/(.*)/.exec(repository) ?? [];
    expect(kustomization).to.contain(`newName: ghcr.io/${owner}\n`);
  });
});
