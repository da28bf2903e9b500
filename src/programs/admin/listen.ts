import { codeOf, reasonOf } from '../../domain/policies/reason-of.js';

interface Listener {
  start(port: number, host: string): Promise<string>;
}

/** Opens the port and returns its address, or fails with a readable message. */
export async function listen(server: Listener, variable: string, port: number, host: string) {
  try {
    return await server.start(port, host);
  } catch (error) {
    const where = `Port ${port} of ${host}`;
    if (isTaken(error))
      throw new Error(`${where} is taken: stop the program that uses it, or set ${variable} to another one.`);
    const other = variable.replace('PORT', 'HOST');
    throw new Error(
      `${where} cannot be opened (${reasonOf(error)}): set ${variable} or ${other} to another one.`,
    );
  }
}

export function isTaken(error: unknown): boolean {
  return codeOf(error) === 'EADDRINUSE';
}
