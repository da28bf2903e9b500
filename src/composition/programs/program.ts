import type { RequestListener } from 'node:http';
import type { Documents } from '../../adapters/operations/operations-server.js';
import type { Check } from '../../adapters/operations/readiness.js';
import type { Log } from '../../domain/ports/log.js';

/** Something that runs until it is told to stop. `stop` undoes whatever `start` got done, also after it failed. */
export interface Program {
  readonly log: Log;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A program that tells operators how it is. */
export interface OperatedProgram extends Program {
  /** What it gives them to read. */
  readonly documents: Documents;
  /** Answers as its public port does; null where there is none, or none yet, or none any more. */
  readonly api: RequestListener | null;
  /** Which ports extensions have replaced, and which ones. */
  readonly replaced: Readonly<Record<string, string>>;
  /** What it stands on. */
  checks(): readonly Check[];
  /** Goes on answering, and sends its callers elsewhere. */
  drain(): void;
}
