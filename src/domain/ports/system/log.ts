export type LogDetails = Readonly<Record<string, unknown>>;

/** For operators. Neither the message nor the details may contain a secret. */
export interface Log {
  debug(message: string, details?: LogDetails): void;
  info(message: string, details?: LogDetails): void;
  warn(message: string, details?: LogDetails): void;
  error(message: string, details?: LogDetails): void;
}
