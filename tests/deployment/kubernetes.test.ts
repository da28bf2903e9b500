import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { findProgram } from '../support/find-program.js';
import { skipWithout } from '../support/run-notes.js';
import { configured, SECONDS_TO_FINISH, SETTINGS } from './configured.js';

const FOLDER = 'deploy/kubernetes';
const APPLIED = ['namespace', 'demo-dashboard', 'migrate', 'overlays/small', 'overlays/large', 'monitoring'];
const IMAGE = 'blog-content-read-api';
const HARDENED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext?: object;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
}

interface Pod {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: object;
  readonly terminationGracePeriodSeconds?: number;
  readonly initContainers?: readonly Container[];
  readonly containers: readonly Container[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly spec: Pod }; readonly podSelector?: object };
}

describe(FOLDER, () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.yaml'),
  );
  const text = files.map((path) => readFileSync(join(FOLDER, path), 'utf8')).join('\n---\n');
  const manifests = parseAllDocuments(text).map((document): Manifest => document.toJS());
  const workloads = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind));
  const pods = workloads.map(({ spec }) => spec.template.spec);
  const containers = pods.flatMap(({ initContainers = [], ...pod }) => [
    ...initContainers,
    ...pod.containers,
  ]);
  const environmentOf = ({ env = [] }: Container) =>
    Object.fromEntries(env.map(({ name, value }) => [name, value]));

  it('runs existing commands, with settings that they read, secrets from files, and the ports of the code', () => {
    const ours = containers.filter(({ image, command }) => image === IMAGE && command === undefined);
    expect(ours.map(({ name }) => name)).to.include.members(['api', 'sync']);
    for (const container of ours) {
      const values = Object.entries(environmentOf(container)).map(([variable, value]) => {
        const url = variable.includes('REDIS') ? 'redis://redis' : 'postgres://role:password@postgres/name';
        return variable.endsWith('_FILE') ? [variable.replace(/_FILE$/, ''), url] : [variable, value];
      });
      const { port, adminPort, adminHost } = configured(container.args ?? [], Object.fromEntries(values));
      for (const { secret, variable } of SETTINGS)
        if (secret) expect(environmentOf(container)).not.to.have.property(variable);
      if (adminHost === undefined) continue;
      expect(adminHost).to.equal('0.0.0.0');
      expect(container.ports?.map(({ containerPort }) => containerPort)).to.eql(
        [port, adminPort].filter((port) => port !== undefined),
      );
    }
  });

  it('uses files and versions that exist', () => {
    for (const script of text.match(/(?<=\/grants\/)\S+\.sql/g) ?? [])
      expect(existsSync(`db/grants/${script}`), script).to.equal(true);
    const tags = new Set([...text.matchAll(/newTag: (\S+)/g)].map(([, tag]) => tag));
    expect(tags).to.eql(new Set([packageJson.version]));
  });

  it('gives no container privileges, and no pod a token of the cluster', () => {
    for (const { securityContext } of containers) expect(securityContext).to.eql(HARDENED);
    for (const { automountServiceAccountToken, securityContext } of pods) {
      expect(automountServiceAccountToken).to.equal(false);
      expect(securityContext).to.include({ runAsNonRoot: true, runAsUser: 1000 });
      expect(securityContext).to.deep.include({ seccompProfile: { type: 'RuntimeDefault' } });
    }
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => spec);
    const [denial] = policies.filter(({ podSelector = {} }) => Object.keys(podSelector).length === 0);
    expect(denial)
      .to.deep.include({ policyTypes: ['Ingress', 'Egress'] })
      .and.not.to.have.property('ingress');
  });

  it('gives the programs enough time to stop', () => {
    for (const { terminationGracePeriodSeconds, containers } of pods) {
      const [container] = containers;
      if (container === undefined || terminationGracePeriodSeconds === undefined) continue;
      const sleep = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
      const drain = Number(environmentOf(container).DRAIN_SECONDS ?? 0);
      expect(terminationGracePeriodSeconds, container.name).to.equal(sleep + drain + SECONDS_TO_FINISH);
    }
  });

  it('probes and scrapes the operators’ port, under the job names that the alerts use', () => {
    expect(new Set(text.match(/(?<=path: )\/[a-z]+\b(?=[, ])/g))).to.eql(
      new Set(['/livez', '/readyz', '/metrics']),
    );
    const [monitor] = manifests.filter(({ kind }) => kind === 'PodMonitor');
    const names = workloads
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/name']);
    expect(JSON.stringify(monitor?.spec)).to.contain(`"values":${JSON.stringify(names)}`);
    const { scrape_configs: jobs } = parse(readFileSync('deploy/prometheus.yml', 'utf8'));
    expect(jobs.map(({ job_name }: { job_name: string }) => job_name)).to.eql(names);
  });

  it('uses secrets with the names that docs/kubernetes.md creates', () => {
    const docs = readFileSync('docs/kubernetes.md', 'utf8');
    const created = docs.matchAll(/kubectl .*create secret generic (\S+)((?: \\\n +--from-file=\S+)+)/g);
    const keys = [...created].flatMap(([, secret, sources = '']) =>
      [...sources.matchAll(/--from-file=([\w-]+)=/g)].map(([, key]) => `${secret}/${key}`),
    );
    expect(new Set(keys)).to.eql(new Set(text.match(/(?<=\/run\/secrets\/)[\w-]+\/[\w-]+/g)));
  });

  it('is built by `kubectl kustomize`', function () {
    const kubectl = findProgram('kubectl');
    if (kubectl === null) return skipWithout(this, 'kubectl (on the PATH)');
    for (const folder of APPLIED) execFileSync(kubectl, ['kustomize', join(FOLDER, folder)]);
  });
});
