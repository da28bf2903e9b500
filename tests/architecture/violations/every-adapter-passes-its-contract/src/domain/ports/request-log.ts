export interface RequestLog {
  record(): void;
}
