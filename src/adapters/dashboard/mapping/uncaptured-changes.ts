import type { CapturedKind, CapturedTable, SourceName } from './dashboard-mapping.js';

/**
 * The kinds of which a table has to touch at least one; otherwise its changes are not noticed where a select reads it. Rows that show a
 * website, a category or a tag are found by their ids. Organizations are shown nowhere.
 */
const CAPTURED_BY: Readonly<Record<SourceName, readonly CapturedKind[]>> = {
  organizations: [],
  websites: ['websites'],
  blogs: ['blogs', 'websites'],
  categories: ['categories', 'websites'],
  tags: ['tags', 'websites'],
  blog_categories: ['blogs', 'categories', 'websites'],
  blog_tags: ['blogs', 'tags', 'websites'],
  api_keys: ['api_keys'],
};

/**
 * What a select reads and the capture of a table does not cover; null: nothing. A table that touches nothing is declared never to change.
 */
export function uncapturedChanges(
  source: SourceName,
  { touches }: CapturedTable,
  shownTable: string,
): string | null {
  const kinds = CAPTURED_BY[source];
  const [missing] = kinds;
  if (missing === undefined || touches === 'everything') return null;
  const touched = Object.keys(touches);
  if (touched.length === 0 || kinds.some((kind) => touched.includes(kind))) return null;
  return (
    `${source}: the select reads ${shownTable}, whose capture lists only ${touched.join(' and ')}, so its changes do not update ${source}; ` +
    `add ${missing} with the key of the affected rows, unless the columns that the select reads never change`
  );
}
