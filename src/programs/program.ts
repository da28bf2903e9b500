import type { RequestListener } from 'node:http';
import type { Documents, Scraped } from '../adapters/operations/operations-server.js';
import type { Check } from '../adapters/operations/readiness.js';
import type { Extension } from '../composition/extensions/extension.js';
import type { Environment } from '../composition/read-settings.js';
import type { Log } from '../domain/ports/log.js';

/** What a program is made of. */
export interface ProgramOptions {
  /** By the names of the environment variables. Those of the process itself are not looked at. */
  readonly settings: Environment;
  /** Beside those that the setting `EXTENSIONS` names. */
  readonly extensions?: readonly Extension[];
}

/** Something that runs until it is told to stop. `stop` undoes whatever `start` got done, also after it failed. */
export interface Program {
  readonly log: Log;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Makes a `start` under way fail soon. Left out: it does not take long. */
  giveUpStart?(): void;
}

/** One that can begin anew while it goes on serving. */
export interface RestartableProgram extends Program {
  restart(): void;
}

/** One with an operators' port. It is started once. */
export interface RunnableProgram extends Program {
  /** Of the operators' port, as http://host:port, while it runs. */
  readonly adminAddress: string;
}

/** A program that tells operators how it is. */
export interface OperatedProgram extends Program {
  /** What it gives them to read. */
  readonly documents: Documents;
  /** Answers as its public port does; null where there is none, or none yet, or none any more. */
  readonly api: RequestListener | null;
  /** Which ports extensions have replaced, and which ones. */
  readonly replaced: Readonly<Record<string, string>>;
  /** What is counted, where that is not in this process alone. */
  readonly scraped?: Scraped;
  /** Resolves where the program lives; left out: wherever somebody can ask it. */
  isAlive?(): Promise<void>;
  /** What it stands on. */
  checks(): readonly Check[];
  /** Goes on answering, and sends its callers elsewhere. */
  drain(): void;
}
