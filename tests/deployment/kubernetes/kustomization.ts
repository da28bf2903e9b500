import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; namespace?: string; labels?: Record<string, string> };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly namespace?: string;
  readonly images?: readonly { readonly name: string; readonly newTag: string }[];
  readonly patches?: readonly {
    readonly target: { readonly kind: string; readonly name: string };
    readonly patch: string;
  }[];
}

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

const UNDERSTOOD = ['apiVersion', 'kind', 'resources', 'namespace', 'images', 'patches'];
const WITHOUT_NAMESPACE = ['Namespace'];

/** Does what `kubectl kustomize` does with a folder, as far as this project uses it. */
export function build(folder: string): Resource[] {
  const kustomization: Kustomization = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8'));
  const unknown = Object.keys(kustomization).filter((key) => !UNDERSTOOD.includes(key));
  if (unknown.length > 0)
    throw new Error(`${folder}: kustomization.ts does not support ${unknown.join(', ')}`);
  const resources = kustomization.resources.flatMap((path) => read(join(folder, path)));
  for (const { target, patch } of kustomization.patches ?? []) {
    const targets = resources.filter(
      ({ kind, metadata }) => kind === target.kind && metadata.name === target.name,
    );
    if (targets.length !== 1) throw new Error(`${folder}: no ${target.kind} ${target.name} to patch`);
    for (const operation of parse(patch) as readonly Operation[]) apply(operation, targets[0]);
  }
  for (const { kind, metadata } of resources) {
    if (kustomization.namespace === undefined) continue;
    if (WITHOUT_NAMESPACE.includes(kind)) continue;
    metadata.namespace = kustomization.namespace;
  }
  for (const { name, newTag } of kustomization.images ?? []) tag(resources, name, `${name}:${newTag}`);
  return resources;
}

function read(path: string): Resource[] {
  if (statSync(path).isDirectory()) return build(path);
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) =>
    // Copied through JSON, because with YAML aliases one patch would change two places.
    JSON.parse(JSON.stringify(document.toJS())),
  );
}

/** Applies an operation of RFC 6902. */
function apply({ op, path, value }: Operation, resource: unknown): void {
  const steps = path.split('/').slice(1);
  const last = steps.pop() ?? '';
  const parent = steps.reduce((node, step) => (node as Record<string, unknown>)?.[step], resource);
  if (parent === null || typeof parent !== 'object') throw new Error(`There is no ${path}`);
  if (Array.isArray(parent) && op === 'add' && last === '-') {
    parent.push(value);
    return;
  }
  const fields = parent as Record<string, unknown>;
  if (!(last in fields)) throw new Error(`There is no ${path}`);
  if (op === 'test' && fields[last] !== value) throw new Error(`${path} is not ${value}`);
  if (op === 'replace') fields[last] = value;
  else if (op !== 'test') throw new Error(`kustomization.ts does not support ${op} of ${path}`);
}

function tag(node: unknown, from: string, to: string): void {
  if (node === null || typeof node !== 'object') return;
  const fields = node as Record<string, unknown>;
  if (fields.image === from) fields.image = to;
  for (const field of Object.values(fields)) tag(field, from, to);
}
