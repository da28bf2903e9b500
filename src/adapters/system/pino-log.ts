import { writeSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Log, LogDetails } from '../../domain/ports/system/log.js';
import type { LogLevel } from './log-levels.js';
import { readableLine } from './readable-line.js';

/** A pipe takes this much whole (PIPE_BUF), so lines of several processes do not mix. */
const WRITE_BYTES = 4 * 1024;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const RETRY_MS = 20;
const EXIT_WITHIN_MS = 1_000;

/** `process.stdout` or `process.stderr`. */
export interface OutputStream {
  readonly fd: number;
  readonly isTTY?: boolean;
}

export interface LogOptions {
  readonly logLevel: LogLevel;
  /** Text for people in place of JSON. Null: if it goes to a terminal. */
  readonly logPretty: boolean | null;
  /** Other processes write to the same output: each line names its process. */
  readonly isLogShared?: boolean;
}

export function openLog(options: LogOptions, stream: OutputStream = process.stdout): Log {
  const logPretty = options.logPretty ?? stream.isTTY === true;
  return new PinoLog({ ...options, logPretty }, LogOutput.to(stream));
}

/** A line each, as JSON or text; lost lines are counted and reported. */
export class PinoLog implements Log {
  readonly #logger: Logger;
  readonly #asText: (line: string) => string;
  #lost = 0;

  constructor(
    { logLevel, logPretty, isLogShared = false }: LogOptions,
    private readonly output: Pick<LogOutput, 'write'>,
  ) {
    this.#asText = logPretty ? readableLine : (line) => line;
    const base = isLogShared ? { pid: process.pid } : null;
    const write = (line: string) => this.#write(line);
    this.#logger = pino({ level: logLevel, formatters: { log: withDescribedErrors }, base }, { write });
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

  #write(line: string): void {
    if (!this.output.write(this.#asText(line))) {
      this.#lost++;
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
  return {
    name,
    message,
    code: 'code' in error ? error.code : undefined,
    stack: framesOf(error),
    statement: 'statement' in error ? error.statement : undefined,
  };
}

/** The stack without the message, which is there already. */
function framesOf({ message, stack }: Error): string | undefined {
  const end = `${message}\n`;
  const endIndex = stack?.indexOf(end) ?? -1;
  return endIndex === -1 ? stack : stack?.slice(endIndex + end.length);
}

const outputs = new Map<number, LogOutput>();

/**
 * Never waits: what a full disk or a stopped reader does not take is kept up to a bound, and
 * written later or when the process ends.
 */
export class LogOutput {
  readonly #chunks: Buffer[] = [];
  #open = '';
  #openBytes = 0;
  #waitingBytes = 0;
  #isScheduled = false;

  private constructor(private readonly fd: number) {
    process.once('exit', () => this.#writeAtExit());
  }

  /** One for each file descriptor. Node makes a pipe non-blocking when it creates `stream`. */
  static to(stream: OutputStream): LogOutput {
    const output = outputs.get(stream.fd) ?? new LogOutput(stream.fd);
    outputs.set(stream.fd, output);
    return output;
  }

  /** False: there is no room, and the line is lost. */
  write(line: string): boolean {
    const bytes = Buffer.byteLength(line);
    if (this.#waitingBytes + bytes > MAX_WAITING_BYTES) return false;
    if (this.#openBytes + bytes > WRITE_BYTES) this.#closeChunk();
    this.#open += line;
    this.#openBytes += bytes;
    this.#waitingBytes += bytes;
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#writeOrRetry());
    }
    return true;
  }

  #writeOrRetry(): void {
    this.#isScheduled = this.#writeWaiting() > 0;
    if (this.#isScheduled) setTimeout(() => this.#writeOrRetry(), RETRY_MS).unref();
  }

  /** How many bytes the output did not take. */
  #writeWaiting(): number {
    this.#closeChunk();
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      let written: number;
      try {
        written = writeSync(this.fd, chunk);
      } catch {
        // Whatever prevents it, from a full pipe to a full disk, may be over at the next try.
        break;
      }
      this.#waitingBytes -= written;
      if (written === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(written);
    }
    return this.#waitingBytes;
  }

  #closeChunk(): void {
    if (this.#openBytes > 0) this.#chunks.push(Buffer.from(this.#open));
    this.#open = '';
    this.#openBytes = 0;
  }

  #writeAtExit(): void {
    const end = performance.now() + EXIT_WITHIN_MS;
    const never = new Int32Array(new SharedArrayBuffer(4));
    while (this.#writeWaiting() > 0 && performance.now() < end) Atomics.wait(never, 0, 0, RETRY_MS);
  }
}
