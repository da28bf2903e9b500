import { readFileSync } from 'node:fs';

/** What `npm run alerts` writes, because kustomize cannot put a file into an object. */
export const ALERTS_MANIFEST = 'deploy/kubernetes/monitoring/alerts.yaml';

const HEAD = `# Written by \`npm run alerts\` from docs/operations/alerts.yml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: blog-content-read-api
  labels: { app.kubernetes.io/part-of: blog-content-read-api }
spec:
`;

export function alertsManifest(): string {
  const rules = readFileSync('docs/operations/alerts.yml', 'utf8');
  return HEAD + rules.slice(rules.indexOf('groups:')).replaceAll(/^(?=.)/gm, '  ');
}
