/** `blog-content-read-api/extensions`: what an extension is, for a module that `EXTENSIONS` names. It has types alone. */

export type { ApiMiddleware } from '../adapters/http/api-middleware.js';
export type {
  Additions,
  ApiAdditions,
  ApiTokens,
  Bind,
  Extended,
  Extension,
  ExtensionCheck,
  Lifecycle,
  ServiceIdentifier,
  SessionAdditions,
  SessionTokens,
  WorkerTokens,
} from '../composition/extensions/extension.js';
export type { Environment } from '../composition/read-settings.js';
