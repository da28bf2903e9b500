import { reasonOf } from '../../adapters/postgres/connection/is-outage.js';

interface Listener {
  start(port: number, host: string): Promise<string>;
}

/** Opens the port and returns its address, or fails with a readable message. */
export async function listen(
  server: Listener,
  variable: string,
  port: number,
  host: string,
): Promise<string> {
  try {
    return await server.start(port, host);
  } catch (error) {
    const reason = isTaken(error) ? 'is taken' : `cannot be opened (${reasonOf(error)})`;
    throw new Error(
      `Port ${port} of ${host} ${reason}: set ${variable} or ${variable.replace('PORT', 'HOST')} to another one.`,
    );
  }
}

export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
