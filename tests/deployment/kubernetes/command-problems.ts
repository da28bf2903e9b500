import { existsSync } from 'node:fs';
import type { Container } from 'kubernetes-types/core/v1.js';
import { parseCommandLine } from '../../../src/adapters/cli/command-line.js';
import * as configuration from '../../../src/composition/settings/configuration.js';
import * as jobs from '../../../src/composition/settings/configuration.js';
import type { Setting } from '../../../src/composition/settings/setting.js';
import * as settings from '../../../src/composition/settings/settings.js';

export const OUR_IMAGE = 'blog-content-read-api';

const CONFIGURATION_OF = {
  api: configuration.apiConfiguration,
  sync: configuration.syncConfiguration,
  migrate: jobs.migrateConfiguration,
  'dashboard:migrate': jobs.dashboardConfiguration,
};
const SECRETS = Object.values<Setting<unknown>>(settings).filter(({ secret }) => secret);
/** Used instead of the content of secret files. */
const ANY_URL = { DATABASE: 'postgres://role:password@postgres/name', REDIS: 'redis://redis' };

export function environmentOf({ env = [] }: Container): Record<string, string> {
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

/** Contradictions between a container's command and the code. */
export function commandProblems(container: Container, secretPaths: readonly string[]): string[] {
  const { command, args = [], image = '', ports = [] } = container;
  const environment = environmentOf(container);
  const problems = Object.entries(environment)
    .filter(([name]) => name.endsWith('_URL_FILE'))
    .filter(([, path]) => !secretPaths.some((secret) => path.startsWith(`${secret}/`)))
    .map(([name, path]) => `has no secret at ${path} for ${name}`);
  if (command !== undefined) {
    // The image contains what the Dockerfile copies into /app.
    const paths = command.flatMap((word) => /(?<=^\/app\/)[^.]+/.exec(word) ?? []);
    const scripts = command.join(' ').match(/(?<=\/grants\/)\S+\.sql/g) ?? [];
    const missing = [...paths, ...scripts.map((script) => `db/grants/${script}`)].filter(
      (path) => !existsSync(path),
    );
    return [...problems, ...missing.map((path) => `uses ${path}, which does not exist`)];
  }
  if (!image.startsWith(`${OUR_IMAGE}:`)) return [...problems, 'runs the default command of its image'];

  const ofSecrets = Object.keys(environment).filter((name) => name.endsWith('_FILE'));
  const read = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      if (!ofSecrets.includes(name)) return [name, value];
      return [name.replace(/_FILE$/, ''), name.includes('REDIS') ? ANY_URL.REDIS : ANY_URL.DATABASE];
    }),
  );
  const known = new Set(Object.values<Setting<unknown>>(settings).map(({ variable }) => variable));
  for (const name of Object.keys(read))
    if (!known.has(name)) problems.push(`sets ${name}, which nothing reads`);
  for (const name of ofSecrets) {
    if (!SECRETS.some(({ variable }) => `${variable}_FILE` === name))
      problems.push(`sets ${name}, which is not the file of a secret`);
  }
  for (const { variable } of SECRETS) {
    if (environment[variable] !== undefined) problems.push(`exposes the secret ${variable}`);
  }
  try {
    const { name } = parseCommandLine(args);
    const configure = CONFIGURATION_OF[name as keyof typeof CONFIGURATION_OF];
    if (configure === undefined) return [...problems, `runs ${name}`];
    const configured = configure(read) as Partial<configuration.ApiConfiguration & configuration.Operated>;
    const expected = { http: configured.port, operators: configured.operations?.port };
    const configuredPorts = Object.entries(expected).filter(([, port]) => port !== undefined);
    const actual = ports.map(({ name, containerPort }) => [name, containerPort]);
    if (JSON.stringify(actual) !== JSON.stringify(configuredPorts))
      problems.push(
        `has the ports ${JSON.stringify(actual)}, but listens on ${JSON.stringify(configuredPorts)}`,
      );
    if (configured.operations !== undefined && configured.operations.host !== '0.0.0.0')
      problems.push('has an operators’ port that no probe reaches');
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error));
  }
  return problems;
}
