export interface RequestLog { // breach
  record(): void;
}
