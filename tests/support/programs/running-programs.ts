import { RunningProgram } from './program.js';

interface Databases {
  readonly writeDatabaseUrl: string;
  readonly readDatabaseUrl: string;
}

/**
 * Starts programs on databases that the tests of the surrounding `describe` share. A program ends at the latest with
 * its test.
 */
export function programsOn(databases: () => Databases) {
  const running: RunningProgram[] = [];

  afterEach(async () => {
    await Promise.all(running.splice(0).map((program) => program.end('SIGKILL')));
  });

  return (...args: readonly string[]): RunningProgram => {
    const program = new RunningProgram(args, environmentOf(databases()));
    running.push(program);
    return program;
  };
}

export function environmentOf({ writeDatabaseUrl, readDatabaseUrl }: Databases) {
  return {
    WRITE_DATABASE_URL: writeDatabaseUrl,
    READ_DATABASE_URL: readDatabaseUrl,
    PORT: '0',
    HOST: '127.0.0.1',
  };
}

export async function leads(worker: RunningProgram): Promise<RunningProgram> {
  await worker.printed(/this worker leads/);
  return worker;
}

export async function addressOf(api: RunningProgram): Promise<string> {
  return api.printed(/"address":"([^"]+)"/);
}

export async function adminAddressOf(program: RunningProgram): Promise<string> {
  return program.printed(/"adminAddress":"([^"]+)"/);
}
