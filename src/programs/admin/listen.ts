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
    switch (errorCode(error)) {
      case 'EADDRINUSE':
        throw new Error(
          `Port ${port} of ${host} is taken: stop the program that uses it, or set ${variable} to another one.`,
        );
      case 'EACCES':
        throw new Error(`This user may not open port ${port} of ${host}: set ${variable} to one above 1023.`);
      case 'EADDRNOTAVAIL':
      case 'ENOTFOUND':
        throw new Error(
          `This machine has no address ${host}: set ${variable.replace('PORT', 'HOST')} to one of its addresses, or to 0.0.0.0 for all.`,
        );
      default:
        throw error;
    }
  }
}

export function isTaken(error: unknown): boolean {
  return errorCode(error) === 'EADDRINUSE';
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}
