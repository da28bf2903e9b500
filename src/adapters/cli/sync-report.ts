import { stringify } from 'yaml';

/** The parts of the report by name, without those whose data an extension stores. */
export type SyncReport = Readonly<Record<string, unknown>>;

const MAX_LISTED = 20;

/** What `--json` prints, as YAML for people, with long lists cut. */
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
