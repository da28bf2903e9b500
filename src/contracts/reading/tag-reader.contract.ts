import type { TagRow } from '../../domain/model/read-model.js';
import type { TagReader } from '../../domain/ports/reading/tag-reader.js';
import type { Runner } from '../runner.js';
import type { AdapterClass } from '../support/adapter-class.js';
import { aTag } from '../support/rows.js';
import { type TermReaderSubject, termReaderContract } from '../support/term-reader.js';

export type TagReaderSubject = TermReaderSubject<TagReader, TagRow>;

export function tagReaderContract(
  runner: Runner,
  Adapter: AdapterClass<TagReader>,
  makeSubject: () => Promise<TagReaderSubject>,
): void {
  termReaderContract(runner, Adapter, makeSubject, 'tag', aTag, (text) => ({
    name: text,
    slug: text,
    color: text,
    websiteId: `web ${text}`,
  }));
}
