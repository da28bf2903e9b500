/** The code of a Node or PostgreSQL error (`ENOENT`, `57P03`), or null. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
