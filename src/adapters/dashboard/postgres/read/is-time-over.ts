const QUERY_CANCELED = '57014';

/** Whether the server has ended a statement, as it does when its time limit is over. */
export function isTimeOver(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === QUERY_CANCELED;
}
