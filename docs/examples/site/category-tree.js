/** @import { Category } from 'blog-content-read-api/client' */

/**
 * A category and its subcategories.
 *
 * @typedef {{ category: Category, children: Branch[] }} Branch
 */

/**
 * Builds a tree: the API lists categories flat and in order, each with the id of its parent.
 *
 * @param {readonly Category[]} categories
 * @returns {Branch[]}
 */
export function categoryTree(categories) {
  const branches = new Map(categories.map((category) => [category.id, branchOf(category)]));
  /** @type {Branch[]} */
  const roots = [];
  for (const branch of branches.values()) {
    const parent = branches.get(branch.category.parentId ?? '');
    (parent?.children ?? roots).push(branch);
  }
  return roots;
}

/**
 * @param {Category} category
 * @returns {Branch}
 */
function branchOf(category) {
  return { category, children: [] };
}
