import { expect } from 'chai';
import { tablesIn } from '../../../../../src/adapters/dashboard/mysql/checks/tables-in.js';

describe('The tables that a select reads', () => {
  for (const [select, tables] of [
    ['select id from posts', ['posts']],
    ['select posts.id, slug from posts, slugs as s where s.id in (1, other)', ['posts', 'slugs']],
    ['select id from (posts left join `my-slugs` on true), (sites)', ['posts', 'my-slugs', 'sites']],
    ['select id from shop.posts join `shop` . `slugs` using (a, b), sites', ['posts', 'slugs', 'sites']],
    ['select id from (select a, b from posts) as x, sites', ['posts', 'sites']],
    ['with w as (select a, b from posts) select id from w', ['posts', 'w']],
    [`select id from posts, json_table(tags, '$' columns (tag text path '$')) as tagged`, ['posts']],
    ['select 1 as id from dual', []],
    [`select 'from x, y' as id -- from z\n from /* from */ posts order by a, b`, ['posts']],
    ['select id, (select max(a) from slugs), b from posts', ['slugs', 'posts']],
    ['select id from(posts)join(slugs)', ['posts', 'slugs']],
    ['select id from posts union select a, b from old', ['posts', 'old']],
  ] as const) {
    it(select.replaceAll('\n', ' '), () => {
      expect([...tablesIn(select)].toSorted()).to.eql([...tables].toSorted());
    });
  }
});
