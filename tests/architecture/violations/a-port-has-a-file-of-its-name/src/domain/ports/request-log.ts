export interface RequestLog {
  record(): void;
}

export interface RequestCount {
  record(): void;
}
