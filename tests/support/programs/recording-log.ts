import type { Log, LogDetails } from '../../../src/domain/ports/system/log.js';

interface Line {
  readonly level: keyof Log;
  readonly message: string;
  readonly details: LogDetails | undefined;
}

/** Keeps log lines for a test to read. */
export class RecordingLog implements Log {
  readonly lines: Line[] = [];

  /** The messages that operators see: all except debug lines. */
  get messages(): string[] {
    return this.lines.filter(({ level }) => level !== 'debug').map(({ message }) => message);
  }

  debug(message: string, details?: LogDetails): void {
    this.lines.push({ level: 'debug', message, details });
  }

  info(message: string, details?: LogDetails): void {
    this.lines.push({ level: 'info', message, details });
  }

  warn(message: string, details?: LogDetails): void {
    this.lines.push({ level: 'warn', message, details });
  }

  error(message: string, details?: LogDetails): void {
    this.lines.push({ level: 'error', message, details });
  }
}
