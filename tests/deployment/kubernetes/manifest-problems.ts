import { readFileSync } from 'node:fs';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type { Container, PodTemplateSpec, Service } from 'kubernetes-types/core/v1.js';
import type { LabelSelector } from 'kubernetes-types/meta/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import packageJson from '../../../package.json' with { type: 'json' };
import { commandProblems, environmentOf, OUR_IMAGE } from './command-problems.js';
import type { Resource } from './kustomization.js';

/** The time that docs/configuration.md requires in addition to DRAIN_SECONDS. */
const SECONDS_TO_FINISH = 15;
/** The memory of any program that docs/performance.md promises, in MB. */
const PROMISED_MB = 400;
const [USER] = /(?<=^USER )\d+/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
const [POSTGRES_IMAGE] = /(?<=image: )postgres:\S+/.exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];

type Workload = (Deployment | Job) & Resource & { readonly spec: { readonly template: PodTemplateSpec } };

/**
 * Contradictions between manifests that are applied together and the code or the promises about security and
 * stopping.
 */
export function manifestProblems(resources: readonly Resource[]): string[] {
  const workloads = resources.filter((resource): resource is Workload =>
    ['Deployment', 'Job'].includes(resource.kind),
  );
  const ofKind = <Kind>(kind: string) =>
    resources.filter((resource) => resource.kind === kind) as unknown as readonly (Kind & Resource)[];
  const selected = (selector: LabelSelector = {}) =>
    workloads.filter(({ spec }) => isSelected(selector, spec.template.metadata?.labels ?? {}));

  const problems = workloads.flatMap((workload) => {
    const { name } = workload.metadata;
    const found = [...podProblems(workload.spec.template)];
    if (workload.kind === 'Deployment') {
      found.push(...deploymentProblems(workload as Deployment, ofKind('HorizontalPodAutoscaler')));
      const budgets = ofKind<PodDisruptionBudget>('PodDisruptionBudget');
      if (!budgets.some(({ spec }) => selected(spec?.selector).includes(workload)))
        found.push('has no PodDisruptionBudget');
    }
    const policies = ofKind<NetworkPolicy>('NetworkPolicy');
    const own = policies.filter(({ spec }) => selected(spec?.podSelector).includes(workload));
    if (own.length === 0) found.push('has no NetworkPolicy');
    found.push(...own.flatMap((policy) => policyProblems(policy, workload)));
    return found.map((problem) => `${workload.kind} ${name} ${problem}`);
  });
  const selectors = [
    ...ofKind<Service>('Service').map(
      ({ metadata, spec }) => [metadata, { matchLabels: spec?.selector ?? {} }] as const,
    ),
    ...ofKind<PodDisruptionBudget>('PodDisruptionBudget').map(
      ({ metadata, spec }) => [metadata, spec?.selector] as const,
    ),
    ...ofKind<NetworkPolicy>('NetworkPolicy').map(
      ({ metadata, spec }) => [metadata, spec?.podSelector] as const,
    ),
  ];
  for (const [{ name }, selector] of selectors) {
    const isAll = Object.keys(selector ?? {}).length === 0;
    if (!isAll && selected(selector).length !== 1) problems.push(`${name} selects no pods`);
  }
  for (const { metadata, spec } of ofKind<Service>('Service')) {
    const [workload] = selected({ matchLabels: spec?.selector ?? {} });
    for (const { targetPort } of spec?.ports ?? []) {
      if (!portsOf(workload).includes(String(targetPort)) || targetPort === 'operators')
        problems.push(`Service ${metadata.name} leads to port ${targetPort}`);
    }
  }
  return problems;
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

function containerProblems({ image, resources, securityContext }: Container): string[] {
  const problems: string[] = [];
  if (![`${OUR_IMAGE}:${packageJson.version}`, POSTGRES_IMAGE].includes(image))
    problems.push(`has the image ${image}`);
  if (securityContext?.allowPrivilegeEscalation !== false) problems.push('may get privileges');
  if (securityContext?.readOnlyRootFilesystem !== true) problems.push('may write to its file system');
  if (securityContext?.runAsUser !== undefined) problems.push('has a user of its own');
  if (securityContext?.capabilities?.drop?.join() !== 'ALL') problems.push('has capabilities');
  const { requests, limits } = resources ?? {};
  if (requests?.cpu === undefined || requests.memory === undefined) problems.push('requests no resources');
  if (megabytes(limits?.memory) < PROMISED_MB) problems.push(`has a memory limit below ${PROMISED_MB} MB`);
  return problems;
}

function deploymentProblems(
  { metadata, spec }: Deployment,
  autoscalers: readonly HorizontalPodAutoscaler[],
): string[] {
  const problems: string[] = [];
  const template = spec?.template;
  const [container] = template?.spec?.containers ?? [];
  if (template?.spec === undefined || container === undefined) return ['has no container'];
  const labels = template.metadata?.labels ?? {};
  if (!isSelected(spec?.selector ?? {}, labels)) problems.push('does not select its own pods');

  const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container;
  const probes = { startupProbe, livenessProbe, readinessProbe };
  for (const [name, probe] of Object.entries(probes)) {
    const path = name === 'readinessProbe' ? '/readyz' : '/livez';
    if (probe?.httpGet?.path !== path || probe.httpGet.port !== 'operators')
      problems.push(`has no ${name} for ${path} on the operators’ port`);
  }
  const drainSeconds = Number(environmentOf(container).DRAIN_SECONDS ?? 0);
  const [, sleepSeconds = 0] = lifecycle?.preStop?.exec?.command ?? [];
  const needed = drainSeconds + Number(sleepSeconds) + SECONDS_TO_FINISH;
  if (template.spec.terminationGracePeriodSeconds !== needed)
    problems.push(`needs ${needed} s to stop: preStop, DRAIN_SECONDS and ${SECONDS_TO_FINISH}`);
  const isApi = container.args?.[0] === 'api';
  if (isApi && drainSeconds < 2 * (readinessProbe?.periodSeconds ?? Number.POSITIVE_INFINITY))
    problems.push('drains for less than two probes');

  const spread = template.spec.topologySpreadConstraints ?? [];
  const isSpread = (key: string) =>
    spread.some(
      ({ topologyKey, labelSelector }) => topologyKey === key && isSelected(labelSelector ?? {}, labels),
    );
  if (!isSpread('kubernetes.io/hostname') || !isSpread('topology.kubernetes.io/zone'))
    problems.push('is not spread over machines and zones');

  const autoscaler = autoscalers.find(({ spec }) => spec?.scaleTargetRef.name === metadata?.name);
  const least = autoscaler === undefined ? spec?.replicas : autoscaler.spec?.minReplicas;
  if (autoscaler !== undefined && spec?.replicas !== undefined)
    problems.push('sets the replicas that its autoscaler sets');
  if ((least ?? 1) < 2) problems.push('has fewer than two pods');
  return problems;
}

function policyProblems({ metadata, spec }: NetworkPolicy, workload: Workload): string[] {
  const problems: string[] = [];
  const about = (problem: string) =>
    problems.push(`has the NetworkPolicy ${metadata?.name}, which ${problem}`);
  if (spec?.policyTypes?.join() !== 'Ingress,Egress') about('does not cover ingress and egress');
  const entered = (spec?.ingress ?? []).flatMap(({ ports = [], from = [] }) => {
    if (from.length === 0) about('allows ingress from everywhere');
    return ports.map(({ port }) => String(port));
  });
  if (entered.join() !== portsOf(workload).join()) about(`allows ingress to ${entered.join() || 'nothing'}`);
  const servers = new Set(
    (workload.spec.template.spec?.containers ?? [])
      .flatMap((container) => Object.keys(environmentOf(container)))
      .flatMap((name) => (name.includes('DATABASE_URL') ? [5432] : name.includes('REDIS') ? [6379] : [])),
  );
  const left = (spec?.egress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => Number(port)));
  if (left.join() !== [...servers].sort().join()) about(`allows egress to ${left.join() || 'nothing'}`);
  return problems;
}

function portsOf(workload: Workload | undefined): string[] {
  const containers = workload?.spec.template.spec?.containers ?? [];
  return containers.flatMap(({ ports = [] }) => ports.map(({ name = '' }) => name));
}

function isSelected({ matchLabels = {} }: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(matchLabels);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

function megabytes(quantity: unknown): number {
  const [, number] = /^(\d+)Mi$/.exec(String(quantity)) ?? [];
  return number === undefined ? 0 : (Number(number) * 2 ** 20) / 1_000_000;
}
