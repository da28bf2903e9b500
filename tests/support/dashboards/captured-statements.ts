const blog = (id: string) => `('${id}', 'web_a', 'Title', 'slug-of-${id}', '')`;

/** SQL, and what it queues. */
export type CapturedStatements = Readonly<Record<string, readonly [sql: string, ...changes: string[]]>>;

/** Rows of the reference schema, in the order in which they can be inserted. */
export const CAPTURED_ROWS = [
  `insert into organizations (id, name) values ('org_a', 'A'), ('org_b', 'B')`,
  `insert into websites (id, organization_id, name) values ('web_a', 'org_a', 'A'), ('web_b', 'org_b', 'B')`,
  `insert into api_keys (id, organization_id, name, key_hash, key_prefix) values ('key_a', 'org_a', '', 'hash', '')`,
  `insert into categories (id, website_id, parent_id, name, slug, description)
   values ('food', 'web_a', null, 'Food', 'food', ''), ('pets', 'web_a', null, 'Pets', 'pets', '')`,
  `insert into categories (id, website_id, parent_id, name, slug, description) values ('fruit', 'web_a', 'food', 'Fruit', 'fruit', '')`,
  `insert into tags (id, website_id, name, slug) values ('red', 'web_a', 'Red', 'red'), ('sea', 'web_a', 'Sea', 'sea')`,
  `insert into blogs (id, website_id, title, slug, content_html) values ('one', 'web_a', 'One', 'one', ''), ('two', 'web_a', 'Two', 'two', '')`,
  `insert into blog_categories (blog_id, category_id) values ('one', 'food'), ('two', 'pets')`,
  `insert into blog_tags (blog_id, tag_id) values ('one', 'red')`,
];

/** What each statement queues on every engine, in a dashboard with these rows. */
export const CAPTURED_STATEMENTS: CapturedStatements = {
  'an INSERT of one row': [
    `insert into organizations (id, name) values ('org_c', 'C')`,
    'organizations org_c',
  ],
  'an INSERT of many rows': [
    `insert into blogs (id, website_id, title, slug, content_html) values ${blog('x')}, ${blog('y')}`,
    'blogs x',
    'blogs y',
  ],
  'an UPDATE of one row': [`update blogs set title = 'New' where id = 'one'`, 'blogs one'],
  'an UPDATE of many rows': [`update tags set name = 'New'`, 'tags red', 'tags sea'],
  'a DELETE of one row': [`delete from api_keys where id = 'key_a'`, 'api_keys key_a'],
  'a DELETE of many rows': [`delete from blogs`, 'blogs one', 'blogs two'],
  'a revocation': [`update api_keys set revoked_at = now() where id = 'key_a'`, 'api_keys key_a'],
  'a text that differs in case and a number in its digits': [
    `update tags set name = upper(name) where id = 'red'; update categories set sort_order = 7 where id = 'food'`,
    'categories food',
    'tags red',
  ],
  'a statement that is only a SELECT': ['select count(*) from blogs'],
  'a key that changes, as the old and the new one': [
    `update api_keys set id = 'key_new' where id = 'key_a'`,
    'api_keys key_a',
    'api_keys key_new',
  ],
  'a new link, as its blog': [`insert into blog_tags (blog_id, tag_id) values ('two', 'sea')`, 'blogs two'],
  'a deleted link, as its blog': [`delete from blog_categories where blog_id = 'one'`, 'blogs one'],
  'a moved link, as both blogs': [
    `update blog_tags set blog_id = 'two' where blog_id = 'one'`,
    'blogs one',
    'blogs two',
  ],
  'a link that changes to another term, as its blog': [
    `update blog_categories set category_id = 'fruit' where blog_id = 'one'`,
    'blogs one',
  ],
  'a blog that moves to another website': [
    `update blogs set website_id = 'web_b' where id = 'one'`,
    'blogs one',
  ],
  'a website that moves to another organization': [
    `update websites set organization_id = 'org_b' where id = 'web_a'`,
    'websites web_a',
  ],
  'everything that is deleted with a website': [
    `delete from websites where id = 'web_a'`,
    ...['blogs one', 'blogs two', 'categories food', 'categories fruit', 'categories pets'],
    ...['tags red', 'tags sea', 'websites web_a'],
  ],
  'everything that is deleted with an organization, on all levels': [
    `delete from organizations where id = 'org_a'`,
    ...['api_keys key_a', 'blogs one', 'blogs two', 'categories food', 'categories fruit', 'categories pets'],
    ...['organizations org_a', 'tags red', 'tags sea', 'websites web_a'],
  ],
  'a deleted category, its child and its blogs': [
    `delete from categories where id = 'food'`,
    'blogs one',
    'categories food',
    'categories fruit',
  ],
};
