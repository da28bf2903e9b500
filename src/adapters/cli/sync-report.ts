import { stringify } from 'yaml';
import type { RowKind } from '../../domain/model/read-model.js';

/** For operators; a part is missing where the store of an extension holds it. */
export interface SyncReport {
  /** Ports that extensions replace, and the extension of each. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Null: there is no leader. */
  readonly leader?: object | null;
  /** Null: no worker has ever led. */
  readonly lastLeader?: object | null;
  /** Parts that could not be read, and the reason of each. */
  readonly failed?: Readonly<Record<string, string>>;
  /** Why this dashboard is not synced; null: it is the one that was synced before. */
  readonly dashboard?: string | null;
  readonly queue?: object;
  readonly work?: readonly object[];
  readonly quarantined?: readonly object[];
  readonly repairs?: object;
  /** Those of the organizations that changed last, latest first, or of the requested one. */
  readonly generations?: { readonly organizations: number; readonly newest: readonly object[] };
  readonly rows?: Readonly<Record<RowKind, { readonly dashboard: number; readonly readTables?: number }>>;
}

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
    { lineWidth: 0 },
  );
  return [text.trimEnd(), ...omitted].join('\n');
}
