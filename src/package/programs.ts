/** `blog-content-read-api`: the programs, for one of your own that starts and stops them. */

import 'reflect-metadata';

export { ConfigurationError, type Environment } from '../composition/read-settings.js';
export { type Api, createApi, createSyncWorker } from '../programs/create-programs.js';
export type { ProgramOptions, RunnableProgram } from '../programs/program.js';
