import type { CategoryRow } from '../../domain/model/read-model.js';
import type { CategoryReader } from '../../domain/ports/reading/category-reader.js';
import type { Runner } from '../runner.js';
import type { AdapterClass } from '../support/adapter-class.js';
import { aCategory } from '../support/rows.js';
import { type TermReaderSubject, termReaderContract } from '../support/term-reader.js';

export type CategoryReaderSubject = TermReaderSubject<CategoryReader, CategoryRow>;

export function categoryReaderContract(
  runner: Runner,
  Adapter: AdapterClass<CategoryReader>,
  makeSubject: () => Promise<CategoryReaderSubject>,
): void {
  termReaderContract(runner, Adapter, makeSubject, 'category', aCategory, (text, index) => ({
    name: text,
    slug: text,
    description: text,
    websiteId: `web ${text}`,
    parentId: index === 0 ? null : text,
    sortOrder: index === 1 ? 2 ** 31 - 1 : -(2 ** 31) + index,
  }));
}
