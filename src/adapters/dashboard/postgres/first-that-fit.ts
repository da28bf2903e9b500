/** Held in memory a few times over while they are on their way, more often than rows: keys are many. */
const KEYS_BYTES = 1024 * 1024;

/**
 * The first rows of a query that has few of them, at least one, whose `column` is not too large altogether. Ids may have any length: with
 * 250 of them, what fits into an index can still be 100 MB.
 */
export function firstThatFit(rows: string, column: string, order: string): string {
  return `
    select fitting.* from (
      select present.*, sum(octet_length(${column}))
        over (order by ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${rows}) as present
    ) as fitting
    where coalesce(bytes_before, 0) < ${KEYS_BYTES} order by ${order}`;
}
