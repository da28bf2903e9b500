import { writeSync } from 'node:fs';
import type { LineWriter } from './pino-log.js';

/** A pipe takes this much whole (PIPE_BUF), so lines of several processes do not mix. */
const WRITE_BYTES = 4 * 1024;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
const MAX_WAITING_BYTES_WITH_ERRORS = 5 * 1024 * 1024;
const RETRY_MS = 20;
const EXIT_WITHIN_MS = 1_000;

/** `process.stdout` or `process.stderr`. */
export interface OutputStream {
  readonly fd: number;
  readonly isTTY?: boolean;
}

const outputs = new Map<number, LogOutput>();

/**
 * Never waits: what a full disk or a stopped reader does not take is kept up to a bound, and
 * written later or when the process ends.
 */
export class LogOutput implements LineWriter {
  readonly #chunks: Buffer[] = [];
  #open = '';
  #openBytes = 0;
  #waitingBytes = 0;
  #isScheduled = false;

  private constructor(private readonly fd: number) {
    process.once('exit', () => this.#writeAtExit());
  }

  /** One for each output. Node has made a pipe that does not block of it when `stream` exists. */
  static to(stream: OutputStream): LogOutput {
    const output = outputs.get(stream.fd) ?? new LogOutput(stream.fd);
    outputs.set(stream.fd, output);
    return output;
  }

  write(line: string, isError: boolean): boolean {
    const bytes = Buffer.byteLength(line);
    const maxBytes = isError ? MAX_WAITING_BYTES_WITH_ERRORS : MAX_WAITING_BYTES;
    if (this.#waitingBytes + bytes > maxBytes) return false;
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
