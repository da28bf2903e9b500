import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { OperationsServer } from '../../../src/adapters/operations/operations-server.js';
import { PrometheusMetrics } from '../../../src/adapters/operations/prometheus-metrics.js';
import { Readiness } from '../../../src/adapters/operations/readiness.js';
import { findProgram } from '../../support/find-program.js';
import { askOperators } from '../../support/programs/ask-operators.js';
import { skipWithout } from '../../support/run-notes.js';
import { build, type Resource } from './kustomization.js';
import { manifestProblems } from './manifest-problems.js';
import { schemaProblems } from './schema-problems.js';

const FOLDER = 'deploy/kubernetes';
const APPLIED = ['namespace', 'demo-dashboard', 'migrate', 'overlays/small', 'overlays/large', 'monitoring'];
const kubectl = findProgram('kubectl');
const built = (folder: string) => build(join(FOLDER, folder));

describe(`${FOLDER}`, () => {
  for (const folder of APPLIED) {
    describe(folder, () => {
      it('agrees with the code, the image and the promises', () => {
        expect(manifestProblems(built(folder))).to.eql([]);
      });

      it('is built as by `kubectl kustomize`', function () {
        if (kubectl === null) return skipWithout(this, 'kubectl (on the PATH)');
        const text = execFileSync(kubectl, ['kustomize', join(FOLDER, folder)], { encoding: 'utf8' });
        const theirs = parseAllDocuments(text).map((document): Resource => document.toJS());
        expect(sorted(theirs)).to.eql(sorted(built(folder)));
      });
    });
  }

  it('is valid against the schemas of Kubernetes', () => {
    expect(schemaProblems(APPLIED.flatMap(built))).to.eql([]);
  });

  it('is refused with a field that Kubernetes does not know, and with a setting that nothing reads', () => {
    const resources = built('overlays/small');
    const text = JSON.stringify(resources);
    expect(
      schemaProblems(JSON.parse(text.replace('"readinessProbe"', '"readynessProbe"'))).join(),
    ).to.contain('readynessProbe');
    expect(manifestProblems(JSON.parse(text.replace('DRAIN_SECONDS', 'DRAIN'))).join()).to.contain(
      'sets DRAIN, which nothing reads',
    );
  });

  it('probes and scrapes paths of the operators’ port', async () => {
    const server = new OperationsServer(new Readiness(() => []), new PrometheusMetrics(), {}, () => null);
    const address = await server.start(0, '127.0.0.1');
    try {
      const text = JSON.stringify(APPLIED.flatMap(built));
      const paths = new Set(text.match(/(?<="path":")\/[^"]*/g));
      expect(paths).to.eql(new Set(['/livez', '/readyz', '/metrics']));
      for (const path of paths) expect((await askOperators(address, path)).status, path).to.not.equal(404);
    } finally {
      await server.stop();
    }
  });

  it('denies all traffic that no policy allows', () => {
    const [policy] = built('namespace').filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policy).to.have.nested.property('spec.podSelector').that.eqls({});
    expect(policy).to.have.nested.property('spec.policyTypes').that.eqls(['Ingress', 'Egress']);
    expect(policy).to.not.have.nested.property('spec.ingress');
    expect(JSON.stringify(policy).match(/"port":\d+/g)).to.eql(['"port":53', '"port":53']);
  });

  it('lets pods use the cluster’s DNS in any namespace, also with the peers that docs/kubernetes.md adds', () => {
    const policies = built('namespace').filter(({ kind }) => kind === 'NetworkPolicy');
    const [{ spec }] = policies as unknown as [{ spec: { egress: [{ to: unknown[] }] } }];
    const [{ to }] = spec.egress;
    expect(to).to.deep.include({
      namespaceSelector: {},
      podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
    });
    const docs = readFileSync('docs/kubernetes.md', 'utf8');
    const others = [...docs.matchAll(/^ {2}```yaml\n([\s\S]*?)^ {2}```$/gm)].flatMap(([, peers]) =>
      parse(peers ?? ''),
    );
    expect(others).to.have.lengthOf(2);
    to.push(...others);
    expect(schemaProblems(policies)).to.eql([]);
  });

  it('has pods scraped under the job names that the alerts use', () => {
    const [monitor] = built('monitoring') as unknown as [{ spec: Record<string, unknown> }];
    const names = built('overlays/small')
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/name']);
    expect(monitor.spec).to.eql({
      jobLabel: 'app.kubernetes.io/name',
      selector: { matchExpressions: [{ key: 'app.kubernetes.io/name', operator: 'In', values: names }] },
      podMetricsEndpoints: [{ port: 'operators', path: '/metrics', interval: '15s' }],
    });
    const { scrape_configs: jobs } = parse(readFileSync('deploy/prometheus.yml', 'utf8'));
    expect(jobs.map(({ job_name }: { job_name: string }) => job_name)).to.eql(names);
  });

  it('uses secrets with the names that docs/kubernetes.md creates', () => {
    const docs = readFileSync('docs/kubernetes.md', 'utf8');
    const text = JSON.stringify(APPLIED.flatMap(built));
    const files = new Set(text.match(/(?<=\/run\/secrets\/)[\w-]+\/[\w-]+/g));
    const created = docs.matchAll(/kubectl .*create secret generic (\S+)((?: \\\n +--from-file=\S+)+)/g);
    const keys = [...created].flatMap(([, secret, sources = '']) =>
      [...sources.matchAll(/--from-file=([\w-]+)=/g)].map(([, key]) => `${secret}/${key}`),
    );
    expect(new Set(keys)).to.eql(files);
  });
});

function sorted(resources: readonly Resource[]): Resource[] {
  const nameOf = ({ kind, metadata }: Resource) => `${kind} ${metadata.name}`;
  return [...resources].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
