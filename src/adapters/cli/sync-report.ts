import { stringify } from 'yaml';

/** By the names of its parts; one is missing where the store of an extension holds it. */
export type SyncReport = Readonly<Record<string, unknown>>;

const MAX_LISTED = 20;

/** For people: what `--json` prints, as YAML, with the first of long lists. */
export function describeSync(report: SyncReport): string {
  const omitted: string[] = [];
  const text = stringify(
    report,
    (part, value) => {
      if (!Array.isArray(value) || value.length <= MAX_LISTED) return value;
      omitted.push(`# ${value.length - MAX_LISTED} more of ${part}: --json prints all`);
      return value.slice(0, MAX_LISTED);
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  return [text.trimEnd(), ...omitted].join('\n');
}
