import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { findProgram } from '../support/find-program.js';
import { skipWithout } from '../support/run-notes.js';
import { ALERTS, ALERTS_MANIFEST, alertRules, alertsManifest } from './alert-rules.js';
import { configured, SECONDS_TO_FINISH, SETTINGS } from './configured.js';

const FOLDER = 'deploy/kubernetes';
const APPLIED = [
  'namespace',
  'demo-dashboard',
  'migrate',
  'overlays/small',
  'overlays/large',
  'ingress',
  'monitoring',
];
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
    expect(containers.map(({ name }) => name)).to.include.members(['api', 'sync', 'migrate']);
    for (const container of containers) {
      // Without a shell, so that no secret is in the arguments of a process.
      expect(container).to.include({ image: IMAGE }).and.not.to.have.property('command');
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

  it('names the image in one place, which docs/kubernetes.md names', () => {
    const [place = '', ...others] = files.filter((path) =>
      /newName|newTag/.test(readFileSync(join(FOLDER, path), 'utf8')),
    );
    expect(others).to.eql([]);
    expect(readFileSync(join(FOLDER, place), 'utf8')).to.contain(`newTag: ${packageJson.version}\n`);
    expect(readFileSync('docs/kubernetes.md', 'utf8')).to.contain(`| \`${dirname(place)}\` |`);
  });

  it('has the alerts of docs/operations, as `npm run alerts` writes them', () => {
    const rules = readFileSync(ALERTS, 'utf8');
    expect(rules).to.equal(alertRules());
    expect(readFileSync(ALERTS_MANIFEST, 'utf8')).to.equal(alertsManifest());
    const { groups } = parse(rules);
    const [rule] = manifests.filter(({ kind }) => kind === 'PrometheusRule');
    expect(rule?.spec).to.eql({ groups });
  });

  it('sends requests by TLS to the port of the API’s Service', () => {
    const [ingress] = parseAllDocuments(readFileSync(join(FOLDER, 'ingress/ingress.yaml'), 'utf8'));
    const { tls, rules } = ingress?.toJS().spec ?? {};
    expect(rules.map(({ host }: { host: string }) => [host])).to.eql(
      tls.map(({ hosts }: { hosts: readonly string[] }) => hosts),
    );
    const [service] = manifests.filter(({ kind }) => kind === 'Service');
    const { name, port } = rules[0].http.paths[0].backend.service;
    expect(service).to.deep.nested.include({ 'metadata.name': name, 'spec.ports[0].name': port.name });
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
    const built = APPLIED.map((folder) =>
      execFileSync(kubectl, ['kustomize', join(FOLDER, folder)], { encoding: 'utf8' }),
    );
    const objects = parseAllDocuments(built.join('\n---\n')).map((document) => document.toJS());
    const [dashboard] = objects.filter(({ kind }) => kind === 'ConfigMap');
    expect(dashboard.data).to.eql({
      'blog-read-api.json': readFileSync('docs/operations/dashboard.json', 'utf8'),
    });
    const images = new Set(built.join().match(/(?<=image: )blog-content-read-api\S*/g));
    expect([...images]).to.eql([`${IMAGE}:${packageJson.version}`]);
    for (const { kind, metadata, spec } of objects.filter((one) => ['Deployment', 'Job'].includes(one.kind)))
      for (const { labels } of [metadata, spec.template.metadata])
        expect(labels, kind).to.include({ 'app.kubernetes.io/version': packageJson.version });
  });
});
