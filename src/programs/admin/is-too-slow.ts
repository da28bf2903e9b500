/** The time limits of both kinds of servers, in their words. */
const TIME_LIMIT = /statement timeout|max_statement_time|maximum statement execution time/;

/** Whether a statement failed for this reason because it took too long. */
export function isTooSlow(reason: string): boolean {
  return TIME_LIMIT.test(reason);
}
