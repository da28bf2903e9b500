import type { Page, PageRequest } from '../model/page.js';

export function offsetOf({ page, limit }: PageRequest): number {
  return (page - 1) * limit;
}

export function pageOf<Item>(
  { page, limit }: PageRequest,
  items: readonly Item[],
  total: number,
): Page<Item> {
  return { page, limit, items, total, pages: Math.ceil(total / limit) };
}
