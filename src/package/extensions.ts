/** `blog-content-read-api/extensions`: the type of an extension. Types only. */

export type { ApiMiddleware } from '../adapters/http/server/application.js';
export type {
  Additions,
  ApiAdditions,
  ApiPorts,
  Bind,
  Extension,
  ExtensionCheck,
  Get,
  Part,
  WorkerAdditions,
  WorkerPorts,
} from '../composition/extensions/extension.js';
export type { Environment } from '../composition/settings/read-settings.js';
