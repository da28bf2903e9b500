import { readFileSync } from 'node:fs';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import packageJson from '../../../package.json' with { type: 'json' };
import { commandProblems, environmentOf, OUR_IMAGE } from './command-problems.js';
import type { Resource } from './kustomization.js';

/** The time that docs/configuration.md requires in addition to DRAIN_SECONDS. */
const SECONDS_TO_FINISH = 15;
const [USER] = /(?<=^USER )\d+/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
const [POSTGRES_IMAGE] = /(?<=image: )postgres:\S+/.exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];

type Workload = (Deployment | Job) & Resource & { readonly spec: { readonly template: PodTemplateSpec } };

/** Contradictions between manifests and the code, the image or the promises about security and stopping. */
export function manifestProblems(resources: readonly Resource[]): string[] {
  return resources
    .filter((resource): resource is Workload => ['Deployment', 'Job'].includes(resource.kind))
    .flatMap(({ kind, metadata, spec }) => {
      const problems = podProblems(spec.template);
      if (kind === 'Deployment') problems.push(...stopProblems(spec.template));
      return problems.map((problem) => `${kind} ${metadata.name} ${problem}`);
    });
}

function podProblems({ spec }: PodTemplateSpec): string[] {
  if (spec === undefined) return ['has no spec'];
  const { securityContext: { runAsUser, runAsNonRoot, seccompProfile } = {}, volumes = [] } = spec;
  const problems: string[] = [];
  if (String(runAsUser) !== USER || runAsNonRoot !== true) problems.push('does not run as the image’s user');
  if (seccompProfile?.type !== 'RuntimeDefault') problems.push('has no seccomp profile');
  if (spec.automountServiceAccountToken !== false) problems.push('has a cluster token');
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const secretPaths = (container.volumeMounts ?? [])
      .filter(({ name }) => volumes.find((volume) => volume.name === name)?.secret !== undefined)
      .map(({ mountPath }) => mountPath);
    const found = [...containerProblems(container), ...commandProblems(container, secretPaths)];
    problems.push(...found.map((problem) => `container ${container.name} ${problem}`));
  }
  return problems;
}

function containerProblems({ image, securityContext }: Container): string[] {
  const problems: string[] = [];
  if (![`${OUR_IMAGE}:${packageJson.version}`, POSTGRES_IMAGE].includes(image))
    problems.push(`has the image ${image}`);
  if (securityContext?.allowPrivilegeEscalation !== false) problems.push('may get privileges');
  if (securityContext?.readOnlyRootFilesystem !== true) problems.push('may write to its file system');
  if (securityContext?.runAsUser !== undefined) problems.push('has a user of its own');
  if (securityContext?.capabilities?.drop?.join() !== 'ALL') problems.push('has capabilities');
  return problems;
}

/** Kubernetes must learn in time that a pod is gone, and leave it enough time to finish. */
function stopProblems({ spec }: PodTemplateSpec): string[] {
  const [container] = spec?.containers ?? [];
  if (container === undefined) return ['has no container'];
  const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container;
  const problems = Object.entries({ startupProbe, livenessProbe, readinessProbe }).flatMap(
    ([name, probe]) => {
      const path = name === 'readinessProbe' ? '/readyz' : '/livez';
      const isRight = probe?.httpGet?.path === path && probe.httpGet.port === 'operators';
      return isRight ? [] : [`has no ${name} for ${path} on the operators’ port`];
    },
  );
  const drainSeconds = Number(environmentOf(container).DRAIN_SECONDS ?? 0);
  const [, sleepSeconds = 0] = lifecycle?.preStop?.exec?.command ?? [];
  const needed = drainSeconds + Number(sleepSeconds) + SECONDS_TO_FINISH;
  if (spec?.terminationGracePeriodSeconds !== needed)
    problems.push(`needs ${needed} s to stop: preStop, DRAIN_SECONDS and ${SECONDS_TO_FINISH}`);
  const isApi = container.args?.[0] === 'api';
  if (isApi && drainSeconds < 2 * (readinessProbe?.periodSeconds ?? Number.POSITIVE_INFINITY))
    problems.push('drains for less than two probes');
  return problems;
}
