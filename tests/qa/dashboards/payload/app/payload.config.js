import { postgresAdapter } from '@payloadcms/db-postgres';
import { buildConfig } from 'payload';

const text = (name) => ({ name, type: 'text' });
const linkTo = (name, relationTo, hasMany = false) => ({ name, type: 'relationship', relationTo, hasMany });

const websites = { slug: 'websites', fields: [text('name'), text('organization')] };
const categories = {
  slug: 'categories',
  trash: true,
  fields: [
    text('name'),
    text('slug'),
    { name: 'description', type: 'textarea' },
    { name: 'sortOrder', type: 'number' },
    linkTo('parent', 'categories'),
    linkTo('website', 'websites'),
  ],
};
const tags = {
  slug: 'tags',
  fields: [text('name'), text('slug'), text('color'), linkTo('website', 'websites')],
};
const media = { slug: 'media', fields: [text('alt'), text('address')] };
const posts = {
  slug: 'posts',
  trash: true,
  versions: { drafts: true },
  fields: [
    text('title'),
    text('slug'),
    { name: 'excerpt', type: 'textarea' },
    // In a real app a hook renders it from the rich text.
    { name: 'contentHtml', type: 'code' },
    { name: 'publishedAt', type: 'date' },
    { name: 'isForMembers', type: 'checkbox' },
    { name: 'meta', type: 'group', fields: [text('title'), { name: 'description', type: 'textarea' }] },
    linkTo('cover', 'media'),
    linkTo('website', 'websites'),
    linkTo('categories', 'categories', true),
    linkTo('tags', 'tags', true),
  ],
};

export default buildConfig({
  secret: 'of-a-test',
  telemetry: false,
  db: postgresAdapter({ pool: { connectionString: process.env.DATABASE_URL } }),
  collections: [websites, categories, tags, media, posts],
});
