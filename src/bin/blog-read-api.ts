#!/usr/bin/env node
import nodeModule from 'node:module';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type Command,
  explainMisuse,
  parseCommandLine,
  USAGE,
  UsageError,
} from '../adapters/cli/command-line.js';
import { ConfigurationError } from '../composition/settings/read-settings.js';
import { type Program, StartFailure } from '../programs/program.js';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 64;
const EXIT_CONFIGURATION = 78;

/**
 * Until a program handles signals, there is nothing to finish. Registered first, because process 1
 * of a container receives no signal without a listener.
 */
const end = () => process.exit();
process.on('SIGINT', end).on('SIGTERM', end);

/** The command finishes if its reader has gone, as with `| head -1`. */
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = EXIT_FAILURE;
  });
}

/**
 * Exists since Node 22. What is compiled is kept in our own folder, because others could change it
 * in a shared one.
 */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(import.meta.dirname, '../../node_modules/.cache/blog-read-api'));

let keepsRunning = false;

try {
  await run(parseCommandLine(process.argv.slice(2)));
  // A module of an extension may have left a handle open that would keep the process alive.
  if (!keepsRunning) process.stdout.write('', () => process.exit());
} catch (error) {
  fail(error);
}

/** Each command imports only what it needs, so that it starts fast. */
async function run(command: Command): Promise<void> {
  if (['embedded', 'api', 'sync', 'doctor'].includes(command.name)) await import('reflect-metadata');
  switch (command.name) {
    case 'embedded': {
      const { configuredEmbedded } = await import('../composition/extensions/configured.js');
      const { settings, extended } = await configuredEmbedded(process.env, process.cwd());
      const { EmbeddedProgram } = await import('../programs/embedded/embedded-program.js');
      const { OperationsProgram } = await import('../programs/admin/operations-program.js');
      return runUntilSignalled(
        new OperationsProgram(
          settings,
          (metrics) => new EmbeddedProgram(settings, metrics, resolve('.data'), print, fail, extended),
        ),
        // Its terminal was closed. To the processes of `api`, the signal means something else.
        ['SIGHUP'],
      );
    }
    case 'help':
      return print(USAGE);
    case 'api':
      return runUntilSignalled(await apiWith(command.processes));
    case 'sync':
      return runSync(command);
    case 'webhooks': {
      const { webhooksConfiguration } = await import('../composition/settings/configuration.js');
      const { testWebhooks } = await import('../programs/webhooks/test-webhooks.js');
      if (!(await testWebhooks(webhooksConfiguration(process.env).webhooks, print)))
        process.exitCode = EXIT_FAILURE;
      return;
    }
    case 'migrate': {
      const { mode, roles } = command;
      if (mode === 'install' || mode === 'with-grants') {
        const { migrateConfiguration } = await import('../composition/settings/configuration.js');
        const { migrate } = await import('../programs/migrate/migrate.js');
        return migrate(migrateConfiguration(process.env), print, mode === 'install' ? null : roles);
      }
      const { dashboardOf } = await import('../composition/dashboard-of.js');
      const dashboard = dashboardOf(await dashboardSettings());
      if (mode === 'grants') return dashboard.printGrants(print, roles.sync);
      return mode === 'explain' ? dashboard.explain(print) : dashboard.removeCapture(print);
    }
    case 'doctor': {
      const { configuredDoctor } = await import('../composition/extensions/configured.js');
      const { settings, extended } = await configuredDoctor(process.env, process.cwd());
      const { doctor } = await import('../programs/doctor/doctor.js');
      const isHealthy = await doctor(settings, command.json, print, extended);
      // Exits at once: connections to a frozen server would delay the exit.
      return process.exit(isHealthy ? 0 : EXIT_FAILURE);
    }
    case 'demo:edit': {
      const { editDemo } = await import('../programs/demo/edit-demo.js');
      return editDemo(resolve('.data'), command.title, print);
    }
    case 'dashboard:migrate': {
      const { migrateDashboard } = await import('../programs/migrate/migrate.js');
      return migrateDashboard((await dashboardSettings()).writeDatabaseUrl, print);
    }
    case 'demo:load': {
      const { loadDemo } = await import('../programs/demo/load-demo.js');
      return loadDemo((await dashboardSettings()).writeDatabaseUrl, print);
    }
    default: {
      const { manageKeys } = await import('../programs/keys/manage-keys.js');
      return manageKeys(command, await dashboardSettings(), print);
    }
  }
}

async function dashboardSettings() {
  const { dashboardConfiguration } = await import('../composition/settings/configuration.js');
  return dashboardConfiguration(process.env);
}

/**
 * The whole API in this process, the first process of several, or one of the processes that the
 * first one starts with the same command.
 */
async function apiWith(processes: number | 'auto' | null): Promise<Program> {
  const isWorker = processes !== null && (await import('node:cluster')).default.isWorker;
  if (processes !== null && !isWorker) {
    const { apiInProcesses } = await import('../programs/api/processes/api-workers.js');
    return apiInProcesses(processes === 'auto' ? availableParallelism() : processes, process.env);
  }
  const { configuredApi } = await import('../composition/extensions/configured.js');
  const { settings, extended } = await configuredApi(process.env, process.cwd());
  if (isWorker) {
    const { ApiWorker } = await import('../programs/api/processes/api-worker.js');
    return new ApiWorker(settings, extended);
  }
  // Together, so that Node reads the files of one while it runs the other.
  const [{ OperationsProgram }, { ApiProgram }] = await Promise.all([
    import('../programs/admin/operations-program.js'),
    import('../programs/api/api-program.js'),
  ]);
  return new OperationsProgram(settings, (metrics) => new ApiProgram(settings, metrics, extended));
}

async function runSync(command: Extract<Command, { name: 'sync' }>): Promise<void> {
  const { configuredWorker } = await import('../composition/extensions/configured.js');
  const { settings, extended } = await configuredWorker(process.env, process.cwd());
  if (command.mode === 'continuous') {
    const { OperationsProgram } = await import('../programs/admin/operations-program.js');
    const { SyncProgram } = await import('../programs/sync/sync-program.js');
    return runUntilSignalled(
      new OperationsProgram(
        settings,
        (metrics) => new SyncProgram(settings, metrics, process.stdout, extended),
      ),
    );
  }
  if (command.mode === 'status') {
    const { syncStatus } = await import('../programs/sync/sync-status.js');
    return syncStatus(settings, command, print, extended);
  }
  if (command.mode === 'accept-dashboard') {
    const { acceptPresentDashboard } = await import('../programs/sync/sync-program.js');
    return acceptPresentDashboard(settings, print, extended);
  }
  const { catchUp, rebuild } = await import('../programs/sync/sync-once.js');
  if (command.mode === 'once') {
    await catchUp(settings, extended);
    return print('All changes are applied.');
  }
  const { progressReport } = await import('../adapters/cli/progress-report.js');
  const changed = await rebuild(settings, progressReport(process.stdout), extended);
  const differing = changed === null ? '' : ` Rows and totals that differed: ${changed}.`;
  print(`Everything was read again.${differing}`);
}

async function runUntilSignalled(program: Program, signals: readonly NodeJS.Signals[] = []): Promise<void> {
  keepsRunning = true;
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    program.log.info('stopping');
    try {
      await started.catch(() => {});
      await program.stop();
      process.exit();
    } catch (error) {
      fail(error);
    }
  };
  // In this order, so that a signal always has a listener.
  for (const signal of signals) process.on(signal, stop);
  process.on('SIGINT', stop).on('SIGTERM', stop).off('SIGINT', end).off('SIGTERM', end);
  const started = program.start();
  try {
    await started;
  } catch (error) {
    if (stopping) return;
    stopping = true;
    await program.stop();
    throw error;
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(error: unknown): never {
  // The process that failed has already reported the reason.
  if (error instanceof StartFailure) process.exit(error.exitCode);
  process.stderr.write(`${explain(error)}\n`);
  if (error instanceof ConfigurationError) process.exit(EXIT_CONFIGURATION);
  process.exit(error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE);
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return explainMisuse(error, process.argv.slice(2));
  // The message of an AggregateError says nothing, but those of its errors do.
  if (error instanceof AggregateError) return error.errors.map(explain).join('\n');
  return error instanceof Error ? error.message : String(error);
}
