/** Something that runs until it is told to stop. `stop` undoes whatever `start` got done, also after it failed. */
export interface Program {
  start(): Promise<void>;
  stop(): Promise<void>;
}
