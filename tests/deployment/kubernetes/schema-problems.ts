import ts from 'typescript';
import type { Resource } from './kustomization.js';

const FILE = `${process.cwd()}/tests/deployment/kubernetes/manifests.virtual.ts`;
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts'],
  types: [],
};

/** The types of the Prometheus Operator, which no package has, as far as this project uses them. */
const POD_MONITOR = `
interface PodMonitor {
  apiVersion: 'monitoring.coreos.com/v1';
  kind: 'PodMonitor';
  metadata: import('kubernetes-types/meta/v1').ObjectMeta;
  spec: {
    jobLabel?: string;
    selector: import('kubernetes-types/meta/v1').LabelSelector;
    podMetricsEndpoints: { port?: string; path?: string; interval?: string }[];
  };
}`;

/**
 * Violations of the schemas of Kubernetes, which kubernetes-types contains as types: fields that are unknown, missing
 * or have another type. Each resource is compiled as a literal, in which the compiler allows no unknown field.
 */
export function schemaProblems(resources: readonly Resource[]): string[] {
  const literals = resources.map((resource, index) => {
    const [group = '', version] = resource.apiVersion.includes('/')
      ? resource.apiVersion.split('/')
      : ['core', resource.apiVersion];
    const type =
      resource.kind === 'PodMonitor'
        ? 'PodMonitor'
        : `Required<Pick<Of${index}, 'apiVersion' | 'kind' | 'metadata'>> & Of${index}`;
    const alias =
      resource.kind === 'PodMonitor'
        ? ''
        : `type Of${index} = import('kubernetes-types/${group.replace('.k8s.io', '')}/${version}').${resource.kind};\n`;
    return `${alias}export const of${index}: ${type} = ${JSON.stringify(resource)};`;
  });
  const text = [POD_MONITOR, ...literals].join('\n');

  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, text, rest[0]) : getSourceFile(name, ...rest);
  const program = ts.createProgram([FILE], OPTIONS, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(FILE))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
