import type { Runner } from '../runner.js';

/** The capabilities that an adapter lacks: tests that need them are skipped. */
export interface Lacking<Capability extends string> {
  readonly lacks?: readonly Capability[];
}

/** Null if the adapter declares that it lacks it; it has to be either given or declared. */
export function capabilityOf<Subject, Name extends keyof Subject & string>(
  subject: Subject,
  name: Name,
  { lacks = [] }: Lacking<string>,
): NonNullable<Subject[Name]> | null {
  if (lacks.includes(name)) return null;
  const capability = subject[name];
  if (capability != null) return capability;
  throw new Error(
    `The subject has no \`${name}\`: give it, or call the suite with \`{ lacks: ['${name}'] }\` if there can be none`,
  );
}

/** Tests that need a capability; if the adapter lacks it, their titles say why they are skipped. */
export function itNeeding(
  it: Runner['it'],
  name: string,
  { lacks = [] }: Lacking<string>,
): (title: string, test: () => Promise<void> | void) => void {
  if (!lacks.includes(name)) return it;
  return (title, test) => it.skip(`${title} (needs \`${name}\`, which the adapter lacks)`, test);
}
