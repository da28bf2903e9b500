import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };

export const ALERTS = 'docs/operations/alerts.yml';
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

/** The rules, with the steps for each in the repository that package.json names. */
export function alertRules(): string {
  const [repository] = packageJson.homepage.split('#');
  return readFileSync(ALERTS, 'utf8').replaceAll(
    /(- alert: (\w+)\n[\s\S]*?runbook_url: )\S+/g,
    (_, rule: string, alert: string) =>
      `${rule}${repository}/blob/main/docs/operations/alerts.md#${alert.toLowerCase()}`,
  );
}

export function alertsManifest(): string {
  const rules = alertRules();
  return HEAD + rules.slice(rules.indexOf('groups:')).replaceAll(/^(?=.)/gm, '  ');
}
