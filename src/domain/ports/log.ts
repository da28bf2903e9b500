export type LogDetails = Readonly<Record<string, unknown>>;

/** For operators. Neither a message nor a detail may hold a secret. */
export interface Log {
  debug(message: string, details?: LogDetails): void;
  info(message: string, details?: LogDetails): void;
  warn(message: string, details?: LogDetails): void;
  error(message: string, details?: LogDetails): void;
}
