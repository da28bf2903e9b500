/** Keys are held in memory several times while they are read, and more often than rows, because there are many of them. */
const KEYS_BYTES = 1024 * 1024;

/**
 * The first rows of a short query, at least one, whose `column` is not too large in total. Ids may have any length: 250 ids that fit into
 * an index can still take 100 MB.
 */
export function limitedBySize(rows: string, column: string, order: string): string {
  return `
    select fitting.* from (
      select present.*, sum(octet_length(${column}))
        over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${rows}) as present
    ) as fitting
    where coalesce(bytes_before, 0) < ${KEYS_BYTES} order by ${order}`;
}
