import type { RowKind } from '../../src/domain/model/read-model.js';
import type { SourceTypes } from '../../src/domain/model/source.js';
import { projections } from '../../src/domain/sync/projection.js';
import type { ApiUnderTest } from './api-under-test.js';

/** As the sync job brings a row of the dashboard into the read model: projected, or taken out where it shows nothing. */
export async function bringOver<Kind extends RowKind>(
  api: ApiUnderTest,
  kind: Kind,
  source: SourceTypes[Kind],
): Promise<void> {
  const row = projections[kind](source);
  if (row === null) await api.remove(kind, source.id);
  else await api.put(kind, row);
}
