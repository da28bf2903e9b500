import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { Log, LogDetails } from '../../domain/ports/log.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LONGEST_BATCH_BYTES = 8 * 1024;
/** What a pipe takes in one piece (PIPE_BUF on Linux). In a longer piece, the lines of two processes can mix. */
const LONGEST_PIECE_BYTES = 4 * 1024;

export interface LogOptions {
  /** Standard output unless it is told. */
  readonly destination?: DestinationStream;
  /** Other processes write to the same output: lines say which one wrote them, and reach it whole. */
  readonly isShared?: boolean;
}

/** JSON lines, or text for people. None is lost when the process ends. */
export class PinoLog implements Log {
  readonly #logger: Logger;

  constructor(level: LogLevel, pretty: boolean, { destination, isShared = false }: LogOptions = {}) {
    const base = isShared ? { pid: process.pid } : null;
    const options = { level, formatters: { log: withDescribedErrors }, base };
    this.#logger = pino(
      options,
      pretty
        ? PinoPretty({ destination: destination ?? process.stdout, sync: true, colorize: true })
        : (destination ?? standardOutput(isShared)),
    );
  }

  debug(message: string, details: LogDetails = {}): void {
    this.#logger.debug(details, message);
  }

  info(message: string, details: LogDetails = {}): void {
    this.#logger.info(details, message);
  }

  warn(message: string, details: LogDetails = {}): void {
    this.#logger.warn(details, message);
  }

  error(message: string, details: LogDetails = {}): void {
    this.#logger.error(details, message);
  }
}

let sharedOutput: DestinationStream | null = null;

/** What is logged in one turn of the event loop is written at its end, or at that of the process: there is a line for every request. */
function standardOutput(isShared: boolean): DestinationStream {
  const lengths = isShared
    ? { minLength: LONGEST_PIECE_BYTES - 1, maxWrite: LONGEST_PIECE_BYTES }
    : { minLength: LONGEST_BATCH_BYTES };
  sharedOutput ??= gathered(pino.destination({ fd: 1, sync: true, ...lengths }));
  return sharedOutput;
}

function gathered(output: ReturnType<typeof pino.destination>): DestinationStream {
  // Not `flushSync`: it tries for ever where nobody reads any more.
  const flush = () => output.flush();
  process.once('exit', flush);
  let isGathering = false;
  return {
    write(line) {
      output.write(line);
      if (isGathering) return;
      isGathering = true;
      setImmediate(() => {
        isGathering = false;
        flush();
      });
    },
  };
}

function withDescribedErrors(details: LogDetails): LogDetails {
  if (!holdsError(details)) return details;
  const described = Object.entries(details).map(([name, value]) => [
    name,
    value instanceof Error ? describeError(value) : value,
  ]);
  return Object.fromEntries(described);
}

/** Made for each line: without a list of the values. */
function holdsError(details: LogDetails): boolean {
  for (const name in details) if (details[name] instanceof Error) return true;
  return false;
}

/** Named fields only: a driver's error also carries the values of its query, and those are nobody's business. */
function describeError(error: Error) {
  const { name, message, stack } = error;
  return { name, message, code: 'code' in error ? error.code : undefined, stack };
}
