/** `blog-content-read-api`: the programs, for an application that starts and stops them itself. */

import 'reflect-metadata';

export { ConfigurationError, type Environment } from '../composition/settings/read-settings.js';
export { type Api, createApi, createSyncWorker } from '../programs/create-programs.js';
export type { ProgramOptions, RunnableProgram } from '../programs/program.js';
