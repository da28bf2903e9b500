import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { LRUCache } from 'lru-cache'; // breach
import { MemoryTags } from '../adapters/memory/memory-tags.js'; // breach
import type { Tag } from '../domain/model/tag.js';

export function tagsContract(tags: object, tag: Tag = { id: randomUUID() }) {
  expect(tags).to.be.instanceOf(MemoryTags);
  expect(tag).not.to.be.instanceOf(LRUCache);
}
