import type { WalkedScope, WideKind } from '../../../domain/model/job.js';
import type { RowKind } from '../../../domain/model/read-model.js';
import type { MappedShapes } from './mapped-shapes.js';
import { writtenIn } from './native-ids.js';
import type { Values } from './run-statement.js';
import { SOURCE_OF } from './source-statements.js';

/** Rows of a kind that show other rows, and the column that holds their id. */
interface Dependents {
  readonly id: string;
  readonly from: string;
}

type From = MappedShapes['from'];
type DependentsOf = (from: From, keys: string) => readonly Dependents[];

/** Found by their own columns, so that they are also found if the other rows are gone. */
const DEPENDENTS: Readonly<Record<WideKind, Partial<Record<RowKind, DependentsOf>>>> = {
  categories: {
    categories: ({ categories }, keys) => [
      { id: 'child.id', from: `${categories} as child where child.parent_id = ${keys}` },
    ],
    blogs: ({ blog_categories }, keys) => [
      { id: 'link.blog_id', from: `${blog_categories} as link where link.category_id = ${keys}` },
    ],
  },
  tags: {
    blogs: ({ blog_tags }, keys) => [
      { id: 'link.blog_id', from: `${blog_tags} as link where link.tag_id = ${keys}` },
    ],
  },
  websites: {
    categories: ({ categories }, keys) => [
      { id: 'own.id', from: `${categories} as own where own.website_id = ${keys}` },
      // Parents are separate: PostgreSQL orders at most eight tables (join_collapse_limit), and a mapping may read five for one category.
      {
        id: 'child.id',
        from: `${categories} as child
          where child.parent_id = any(array(select own.id from ${categories} as own where own.website_id = ${keys}))`,
      },
    ],
    tags: ({ tags }, keys) => [{ id: 'own.id', from: `${tags} as own where own.website_id = ${keys}` }],
    blogs: ({ blogs, blog_categories, blog_tags, categories, tags }, keys) => [
      { id: 'own.id', from: `${blogs} as own where own.website_id = ${keys}` },
      {
        id: 'link.blog_id',
        from: `${blog_categories} as link join ${categories} as term on term.id = link.category_id
          where term.website_id = ${keys}`,
      },
      {
        id: 'link.blog_id',
        from: `${blog_tags} as link join ${tags} as term on term.id = link.tag_id where term.website_id = ${keys}`,
      },
    ],
  },
};

/** The parameters of a walk. */
export interface Walk {
  readonly scope: WalkedScope;
  readonly kind: RowKind;
  readonly after: string | null;
  readonly limit: number;
}

/**
 * A query for the next ids of a kind in a scope, in their own order and as text (`key`); null: there are none. Each part of it returns its
 * own next ids: choosing from all ids would make each step cost as much as the whole walk.
 */
export function nextKeysIn(walk: Walk, shapes: MappedShapes, values: Values): string | null {
  const { limit } = walk;
  const parts = partsOf(walk, shapes, values);
  if (parts.length === 0) return null;
  const idType = shapes.idType[SOURCE_OF[walk.kind]];
  // An id that the column cannot hold belongs to another mapping: the walk restarts.
  const [after = null] = walk.after === null ? [] : writtenIn(idType, [walk.after]);
  const next = parts.map(({ id, from }) => {
    const follows = after === null ? `${id} is not null` : `${id} > ${values.add(after)}::${idType}`;
    return `(select distinct ${id} as id from ${from} and ${follows} order by 1 limit ${limit})`;
  });
  return `select id, id::text as key from (${next.join(' union ')}) as present order by id limit ${limit}`;
}

function partsOf({ scope, kind }: Walk, { from, idType }: MappedShapes, values: Values) {
  if (!('keys' in scope)) return [{ id: 'own.id', from: `${from[SOURCE_OF[kind]]} as own where true` }];
  const dependents = DEPENDENTS[scope.of][kind];
  if (dependents === undefined) return [];
  const type = idType[scope.of];
  return dependents(from, `any(${values.add(writtenIn(type, scope.keys))}::${type}[])`);
}
