/** `blog-content-read-api`: the programs, for one of your own that starts and stops them. */

export { type Api, createApi, createSyncWorker } from '../composition/programs/create-programs.js';
export type { ProgramOptions, RunnableProgram } from '../composition/programs/program.js';
export { ConfigurationError, type Environment } from '../composition/read-settings.js';
