import type { RequestListener } from 'node:http';
import type { Documents, Scraped } from '../adapters/operations/operations-server.js';
import type { Extension } from '../composition/extensions/extension.js';
import type { Environment } from '../composition/settings/read-settings.js';
import type { Examined } from '../domain/model/finding.js';
import type { Log } from '../domain/ports/system/log.js';

/** The options of a program. */
export interface ProgramOptions {
  /** By the names of the environment variables. The environment of the process is not read. */
  readonly settings: Environment;
  /** In addition to those that the setting `EXTENSIONS` names. */
  readonly extensions?: readonly Extension[];
}

/** Runs until it is stopped. `stop` undoes what `start` has done, also after `start` failed. */
export interface Program {
  readonly log: Log;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A process of several has ended. It has already logged the reason. */
export class StartFailure extends Error {
  constructor(readonly exitCode: number) {
    super(`an API process ended with exit code ${exitCode}`);
  }
}

/** A program with an operators' port. It can be started once. */
export interface RunnableProgram extends Program {
  /** The operators' port as http://host:port, while it runs. */
  readonly adminAddress: string;
}

/** A program that reports its state to operators. */
export interface OperatedProgram extends Program {
  /** The replaced ports and the extensions that replace them. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Metrics that are not counted in this process alone. */
  readonly scraped?: Scraped;
  /** What it depends on, for `/readyz`. */
  examine(): Promise<readonly Examined[]>;
  /** The documents on its operators' port. */
  readonly documents?: Documents;
  /** Its public port as http://host:port. Null: it is not open. */
  readonly address?: string | null;
  /** The request listener of its public port. Null: it is not open. */
  readonly api?: RequestListener | null;
  /** Continues to answer, and tells its callers to connect elsewhere. */
  drain?(): void;
}
