export type * from '../domain/model/tag.js';
