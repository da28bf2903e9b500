/** A table with its schema, as in the catalogue. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

const PART = /"((?:[^"]|"")+)"|([^".]+)/g;

/** As SQL does: without a schema in `public`, without quotes in lower case. */
export function tableName(written: string): TableName {
  const parts = [...written.trim().matchAll(PART)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '').trim().toLowerCase() : quoted.replaceAll('""', '"'),
  );
  const [name = '', schema = 'public'] = parts.reverse();
  return { schema, name };
}

/** The name as it is in the catalogue. */
export function columnName(written: string): string {
  return written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written.toLowerCase();
}

export function quotedTable({ schema, name }: TableName): string {
  return `${quoted(schema)}.${quoted(name)}`;
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** For people: the schema `public` is left out. */
export function shownTable({ schema, name }: TableName): string {
  return schema === 'public' ? name : `${schema}.${name}`;
}

/** A text as a literal, whatever `standard_conforming_strings` is. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}
