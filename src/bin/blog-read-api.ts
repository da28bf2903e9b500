#!/usr/bin/env node
import 'reflect-metadata';
import { resolve } from 'node:path';
import { type Command, parseCommandLine, USAGE, UsageError } from '../adapters/cli/command-line.js';
import { progressReport } from '../adapters/cli/progress-report.js';
import * as configuration from '../composition/configuration.js';
import { editDemo } from '../composition/jobs/edit-demo.js';
import { manageKeys } from '../composition/jobs/manage-keys.js';
import { migrate, migrateDashboard, removeChangeCapture } from '../composition/jobs/migrate.js';
import { catchUp, rebuild } from '../composition/jobs/sync-once.js';
import { syncStatus } from '../composition/jobs/sync-status.js';
import { ApiProgram } from '../composition/programs/api-program.js';
import { EmbeddedProgram } from '../composition/programs/embedded-program.js';
import type { Program } from '../composition/programs/program.js';
import { ConfigurationError } from '../composition/read-settings.js';
import { SyncProgram } from '../composition/sync/sync-program.js';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 64;
const EXIT_CONFIGURATION = 78;

try {
  await run(parseCommandLine(process.argv.slice(2)));
} catch (error) {
  fail(error);
}

async function run(command: Command): Promise<void> {
  switch (command.name) {
    case 'embedded': {
      const serving = configuration.embeddedConfiguration(process.env);
      return runUntilSignalled(new EmbeddedProgram(serving, resolve('.data'), print, fail));
    }
    case 'help':
      return print(USAGE);
    case 'api':
      return runUntilSignalled(new ApiProgram(configuration.apiConfiguration(process.env)));
    case 'sync':
      return runSync(command, configuration.syncConfiguration(process.env));
    case 'migrate': {
      endOnSignal();
      return command.removeCapture
        ? removeChangeCapture(configuration.dashboardConfiguration(process.env).writeDatabaseUrl, print)
        : migrate(configuration.migrateConfiguration(process.env), print);
    }
    case 'demo:edit':
      return editDemo(resolve('.data'), command.title, print);
    case 'dashboard:migrate':
      endOnSignal();
      return migrateDashboard(configuration.dashboardConfiguration(process.env).writeDatabaseUrl, print);
    default:
      endOnSignal();
      return manageKeys(command, configuration.dashboardConfiguration(process.env).writeDatabaseUrl, print);
  }
}

async function runSync(
  command: Extract<Command, { name: 'sync' }>,
  settings: configuration.SyncConfiguration,
): Promise<void> {
  if (command.mode === 'continuous') return runUntilSignalled(new SyncProgram(settings));
  endOnSignal();
  switch (command.mode) {
    case 'once':
      await catchUp(settings);
      return print('Caught up with the dashboard.');
    case 'rebuild': {
      const changed = await rebuild(settings, progressReport(process.stdout));
      const rows = `${changed} ${changed === 1 ? 'row' : 'rows'}`;
      return print(changed === 0 ? 'Nothing had changed.' : `${rows} changed.`);
    }
    case 'status':
      return syncStatus(settings, command.json, print);
  }
}

async function runUntilSignalled(program: Program): Promise<void> {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    try {
      await started.catch(() => {});
      await program.stop();
      process.exit();
    } catch (error) {
      fail(error);
    }
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
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

/** A job changes a database one transaction at a time: between any two of them is a good place to stop. */
function endOnSignal(): void {
  const end = () => process.exit();
  process.on('SIGINT', end).on('SIGTERM', end);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(error: unknown): never {
  process.stderr.write(`${explain(error)}\n`);
  if (error instanceof ConfigurationError) process.exit(EXIT_CONFIGURATION);
  process.exit(error instanceof UsageError ? EXIT_USAGE : EXIT_FAILURE);
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`;
  // Several addresses were tried in vain: the sum of the failures says nothing, each of them does.
  if (error instanceof AggregateError) return error.errors.map(explain).join('\n');
  return error instanceof Error ? error.message : String(error);
}
