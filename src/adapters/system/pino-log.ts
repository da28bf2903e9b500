import { type Logger, pino } from 'pino';
import type { Log, LogDetails } from '../../domain/ports/log.js';
import type { Metrics } from '../../domain/ports/metrics.js';
import type { LogLevel } from './log-levels.js';
import { readableLine } from './readable-line.js';

const ERROR_LEVEL = 50;

/** Where lines go. Never throws and never waits. */
export interface LineWriter {
  /** False: there is no room, and the line is lost. More room is left for errors. */
  write(line: string, isError: boolean): boolean;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Text for people in place of JSON. */
  readonly isPretty: boolean;
  /** Other processes write to the same output: each line names its process. */
  readonly isShared: boolean;
}

/** A line each, as JSON or text; lost lines are counted and reported. */
export class PinoLog implements Log {
  readonly #logger: Logger;
  readonly #asText: (line: string) => string;
  #lost = 0;

  constructor(
    { level, isPretty, isShared }: LogOptions,
    private readonly output: LineWriter,
    private readonly metrics: Metrics,
  ) {
    this.#asText = isPretty ? readableLine : (line) => line;
    const base = isShared ? { pid: process.pid } : null;
    const write = (line: string) => this.#write(line, destination.lastLevel >= ERROR_LEVEL);
    const destination = { [Symbol.for('pino.metadata')]: true, lastLevel: 0, write };
    this.#logger = pino({ level, formatters: { log: withDescribedErrors }, base }, destination);
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

  #write(line: string, isError: boolean): void {
    if (!this.output.write(this.#asText(line), isError)) {
      this.#lost++;
      this.metrics.count('log-line-lost');
    } else if (this.#lost > 0) {
      const lines = this.#lost;
      this.#lost = 0;
      this.#logger.warn({ lines }, 'log lines were lost: the output did not take them');
      if (this.#lost > 0) this.#lost += lines;
    }
  }
}

/** Loaded when it is used, because most logs are JSON. */
function withDescribedErrors(details: LogDetails): LogDetails {
  if (!holdsError(details)) return details;
  const texts = Object.entries(details).map(([name, value]) => [
    name,
    value instanceof Error ? describeError(value) : value,
  ]);
  return Object.fromEntries(texts);
}

/** Called for each line, so it allocates no list of the values. */
function holdsError(details: LogDetails): boolean {
  for (const name in details) if (details[name] instanceof Error) return true;
  return false;
}

/** A driver's error also has the values of its query, which must not be logged. */
function describeError(error: Error) {
  const { name, message } = error;
  return { name, message, code: 'code' in error ? error.code : undefined, stack: framesOf(error) };
}

/** The stack without the message, which may be a long statement. */
function framesOf({ message, stack }: Error): string | undefined {
  const end = `${message}\n`;
  const endIndex = stack?.indexOf(end) ?? -1;
  return endIndex === -1 ? stack : stack?.slice(endIndex + end.length);
}
