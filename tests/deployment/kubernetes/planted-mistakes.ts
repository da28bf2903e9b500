import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodSpec, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { Resource } from './kustomization.js';

interface PlantedMistake {
  readonly mistake: string;
  readonly plant: (resources: Resource[]) => void;
  readonly problem: string;
}

function find<Kind>(resources: readonly Resource[], kind: string, name = 'blog-read-api'): Kind {
  const found = resources.find((resource) => resource.kind === kind && resource.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`);
  return found as unknown as Kind;
}

function podOf(resources: readonly Resource[]): PodSpec {
  const pod = find<Deployment>(resources, 'Deployment').spec?.template.spec;
  if (pod === undefined) throw new Error('The API has no pod');
  return pod;
}

function apiOf(resources: readonly Resource[]): Container {
  const [api] = podOf(resources).containers;
  if (api === undefined) throw new Error('The API has no container');
  return api;
}

function setTo(resources: readonly Resource[], name: string, value: string): void {
  const variable = apiOf(resources).env?.find((each) => each.name === name);
  if (variable === undefined) throw new Error(`The API has no ${name}`);
  variable.value = value;
}

const remove = (resources: Resource[], kind: string) => {
  const at = resources.findIndex(
    (resource) => resource.kind === kind && resource.metadata.name === 'blog-read-api',
  );
  resources.splice(at, 1);
};

/** Mistakes that `schemaProblems` finds. */
export const MISTAKES_OF_FORM: readonly PlantedMistake[] = [
  {
    mistake: 'an unknown field',
    plant: (all) => Object.assign(apiOf(all), { readynessProbe: {} }),
    problem: 'readynessProbe',
  },
  {
    mistake: 'a number instead of a text',
    plant: (all) => Object.assign(apiOf(all).env?.[0] ?? {}, { value: 3000 }),
    problem: "Type 'number' is not assignable",
  },
  {
    mistake: 'a missing field',
    plant: (all) => Reflect.deleteProperty(find<Deployment>(all, 'Deployment').spec ?? {}, 'selector'),
    problem: "Property 'selector' is missing",
  },
];

/** Mistakes that `manifestProblems` finds. */
export const MISTAKES_OF_CONTENT: readonly PlantedMistake[] = [
  {
    mistake: 'a port on which the API does not listen',
    plant: (all) => setTo(all, 'ADMIN_PORT', '3002'),
    problem: '["operators",3001]], but listens on [["http",3000],["operators",3002]]',
  },
  {
    mistake: 'an operators’ port on loopback',
    plant: (all) => setTo(all, 'ADMIN_HOST', '127.0.0.1'),
    problem: 'no probe reaches',
  },
  {
    mistake: 'a variable that nothing reads',
    plant: (all) => apiOf(all).env?.push({ name: 'RATE_LIMIT', value: '100' }),
    problem: 'sets RATE_LIMIT, which nothing reads',
  },
  {
    mistake: 'a value that a setting refuses',
    plant: (all) => setTo(all, 'DRAIN_SECONDS', '10s'),
    problem: 'DRAIN_SECONDS must be a whole number',
  },
  {
    mistake: 'an exposed secret',
    plant: (all) => apiOf(all).env?.push({ name: 'REDIS_CACHE_URL', value: 'redis://redis' }),
    problem: 'exposes the secret REDIS_CACHE_URL',
  },
  {
    mistake: 'a secret file that is not mounted',
    plant: (all) => setTo(all, 'REDIS_URL_FILE', '/run/secrets/other/redis-url'),
    problem: 'has no secret at /run/secrets/other/redis-url',
  },
  {
    mistake: 'an unknown command',
    plant: (all) => Object.assign(apiOf(all), { args: ['serve'] }),
    problem: 'There is no command "serve"',
  },
  {
    mistake: 'an unknown flag',
    plant: (all) => Object.assign(apiOf(all), { args: ['api', '--verbose'] }),
    problem: "Unknown option '--verbose'",
  },
  {
    mistake: 'a missing script',
    plant: (all) => {
      const [grants] = find<Job>(all, 'Job', 'blog-read-api-migrate').spec?.template.spec?.containers ?? [];
      grants?.command?.push('psql -f /grants/in-the-dashboard.sql');
    },
    problem: 'uses db/grants/in-the-dashboard.sql',
  },
  {
    mistake: 'root as its user',
    plant: (all) => Object.assign(podOf(all).securityContext ?? {}, { runAsUser: 0 }),
    problem: 'does not run as the image’s user',
  },
  {
    mistake: 'a writable file system',
    plant: (all) => Object.assign(apiOf(all).securityContext ?? {}, { readOnlyRootFilesystem: false }),
    problem: 'may write to its file system',
  },
  {
    mistake: 'capabilities',
    plant: (all) => Reflect.deleteProperty(apiOf(all).securityContext ?? {}, 'capabilities'),
    problem: 'has capabilities',
  },
  {
    mistake: 'no seccomp profile',
    plant: (all) => Reflect.deleteProperty(podOf(all).securityContext ?? {}, 'seccompProfile'),
    problem: 'has no seccomp profile',
  },
  {
    mistake: 'a missing probe',
    plant: (all) => Reflect.deleteProperty(apiOf(all), 'startupProbe'),
    problem: 'has no startupProbe',
  },
  {
    mistake: 'a probe of an unknown path',
    plant: (all) => Object.assign(apiOf(all).readinessProbe?.httpGet ?? {}, { path: '/healthz' }),
    problem: 'has no readinessProbe for /readyz',
  },
  {
    mistake: 'less time than it takes to stop',
    plant: (all) => Object.assign(podOf(all), { terminationGracePeriodSeconds: 20 }),
    problem: 'needs 30 s to stop',
  },
  {
    mistake: 'less memory than a program may use',
    plant: (all) => Object.assign(apiOf(all).resources?.limits ?? {}, { memory: '128Mi' }),
    problem: 'has a memory limit below 400 MB',
  },
  {
    mistake: 'the image of another version',
    plant: (all) => Object.assign(apiOf(all), { image: 'blog-content-read-api:0.9.0' }),
    problem: 'has the image blog-content-read-api:0.9.0',
  },
  {
    mistake: 'no budget for disruptions',
    plant: (all) => remove(all, 'PodDisruptionBudget'),
    problem: 'has no PodDisruptionBudget',
  },
  {
    mistake: 'a Service that leads to the operators’ port',
    plant: (all) => find<Service>(all, 'Service').spec?.ports?.push({ port: 3001, targetPort: 'operators' }),
    problem: 'leads to port operators',
  },
  {
    mistake: 'a Service that selects nothing',
    plant: (all) => Object.assign(find<Service>(all, 'Service').spec ?? {}, { selector: { app: 'api' } }),
    problem: 'selects no pods',
  },
  {
    mistake: 'no network policy',
    plant: (all) => remove(all, 'NetworkPolicy'),
    problem: 'has no NetworkPolicy',
  },
  {
    mistake: 'a network policy without egress to Redis',
    plant: (all) => find<NetworkPolicy>(all, 'NetworkPolicy').spec?.egress?.[0]?.ports?.pop(),
    problem: 'allows egress to 5432',
  },
  {
    mistake: 'pods that are not spread over machines',
    plant: (all) => podOf(all).topologySpreadConstraints?.pop(),
    problem: 'is not spread over machines and zones',
  },
];
