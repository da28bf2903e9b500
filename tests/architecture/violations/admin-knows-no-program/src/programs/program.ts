export interface Program {
  start(): void;
}
