import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findProgram } from '../support/find-program.js';
import { skipWithout } from '../support/run-notes.js';
import type { Container } from './containers.js';

export const EXAMPLE = 'docs/examples/kubernetes';
type Named = { readonly name: string };

interface Source {
  readonly configMap?: Named;
  readonly secret?: Partial<Named & { readonly secretName: string }>;
}

interface Pod {
  readonly containers: readonly {
    readonly args: readonly string[];
    readonly env: readonly (Named & { readonly value: string })[];
    readonly volumeMounts: readonly (Named & { readonly mountPath: string })[];
  }[];
  readonly volumes: readonly (Named &
    Source & { readonly projected?: { readonly sources: readonly Source[] } })[];
}

export interface Rendered {
  readonly kind: string;
  readonly metadata: Named & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: { readonly template: { readonly spec: Pod } } & Readonly<Record<string, unknown>>;
}

/**
 * The overlay of a reader: docs/examples/kubernetes, with this checkout in place of the tag, and with other files and
 * lines of theirs. Without kubectl, the tests of the context are skipped.
 */
export async function renderedOverlay(
  context: Mocha.Context,
  edit: (kustomization: string) => string = (text) => text,
  files: Readonly<Record<string, string>> = {},
): Promise<readonly Rendered[]> {
  const kubectl = findProgram('kubectl');
  if (kubectl === null) return skipWithout(context, 'kubectl (on the PATH)');
  const folder = await mkdtemp(join(tmpdir(), 'overlay-'));
  try {
    await cp('deploy', join(folder, 'deploy'), { recursive: true });
    await cp(EXAMPLE, join(folder, 'overlay'), { recursive: true });
    const file = join(folder, 'overlay/kustomization.yaml');
    const local = (await readFile(file, 'utf8')).replaceAll(/https:\S+\/\/(\S+)\?ref=\S+/g, '../$1');
    await writeFile(file, edit(local));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'overlay', name), text);
    const built = execFileSync(kubectl, ['kustomize', join(folder, 'overlay')], { encoding: 'utf8' });
    return parseAllDocuments(built).map((document) => document.toJS());
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The container of a Job or Deployment, with its ConfigMaps and these Secrets as files. */
export function containerIn(
  objects: readonly Rendered[],
  app: string,
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Container {
  const workload = objects.find(
    ({ kind, metadata }) =>
      ['Deployment', 'Job'].includes(kind) && metadata.labels?.['app.kubernetes.io/name'] === app,
  );
  const { containers, volumes } = workload?.spec.template.spec ?? { containers: [], volumes: [] };
  const [container] = containers;
  if (container === undefined) throw new Error(`Nothing runs ${app}`);
  const dataOf = ({ configMap, secret }: Source) =>
    configMap === undefined
      ? secrets[secret?.secretName ?? secret?.name ?? '']
      : objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMap.name)?.data;
  const files = container.volumeMounts.flatMap(({ name, mountPath }) => {
    const volume = volumes.find((one) => one.name === name);
    const sources = volume === undefined ? [] : (volume.projected?.sources ?? [volume]);
    return sources.flatMap((source) =>
      Object.entries(dataOf(source) ?? {}).map(([file, text]) => [`${mountPath}/${file}`, text] as const),
    );
  });
  return {
    args: container.args,
    environment: Object.fromEntries(container.env.map(({ name, value }) => [name, value])),
    files: new Map(files),
  };
}

/** The three containers that run a service. */
export function deploymentIn(
  objects: readonly Rendered[],
  secrets: Readonly<Record<string, Readonly<Record<string, string>>>>,
) {
  return {
    migrate: containerIn(objects, 'blog-read-api-migrate', secrets),
    sync: containerIn(objects, 'blog-read-api-sync', secrets),
    api: containerIn(objects, 'blog-read-api', secrets),
  };
}
