import { type DestinationStream, type Logger, pino } from 'pino';
import { PinoPretty } from 'pino-pretty';
import type { Log, LogDetails } from '../../domain/ports/log.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MAX_BATCH_BYTES = 8 * 1024;
/** What a pipe takes in one write (PIPE_BUF on Linux). Lines of two processes can mix in a longer one. */
const ATOMIC_WRITE_BYTES = 4 * 1024;

export interface LogOptions {
  /** Default: standard output. */
  readonly destination?: DestinationStream;
  /** Other processes write to the same output: each line names its process and is written in one system call. */
  readonly isShared?: boolean;
}

/** Logs JSON lines, or text for people. No line is lost when the process ends. */
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

/** Buffers all lines of one turn of the event loop and writes them at its end, or when the process ends: every request logs a line. */
function standardOutput(isShared: boolean): DestinationStream {
  const lengths = isShared
    ? { minLength: ATOMIC_WRITE_BYTES - 1, maxWrite: ATOMIC_WRITE_BYTES }
    : { minLength: MAX_BATCH_BYTES };
  sharedOutput ??= batched(pino.destination({ fd: 1, sync: true, ...lengths }));
  return sharedOutput;
}

function batched(output: ReturnType<typeof pino.destination>): DestinationStream {
  // `flushSync` would retry for ever if the reader is gone.
  const flush = () => output.flush();
  process.once('exit', flush);
  let isFlushScheduled = false;
  return {
    write(line) {
      output.write(line);
      if (isFlushScheduled) return;
      isFlushScheduled = true;
      setImmediate(() => {
        isFlushScheduled = false;
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

/** Called for each line, so it allocates no list of the values. */
function holdsError(details: LogDetails): boolean {
  for (const name in details) if (details[name] instanceof Error) return true;
  return false;
}

/** Copies named fields only: a driver's error also carries the values of its query, which must not be logged. */
function describeError(error: Error) {
  const { name, message } = error;
  return { name, message, code: 'code' in error ? error.code : undefined, stack: framesOf(error) };
}

/** The stack without the message, which may be a long statement. */
function framesOf({ message, stack }: Error): string | undefined {
  const end = `${message}\n`;
  const at = stack?.indexOf(end) ?? -1;
  return at === -1 ? stack : stack?.slice(at + end.length);
}
