import { html, trusted } from './html.js';
import { blogList, byline, layout, navigation, pager } from './layout.js';

/**
 * @import { BlogClient, ListBlogsQuery } from 'blog-content-read-api/client'
 * @typedef {{ client: BlogClient, websiteId: string, siteName: string }} Site
 */

const BLOGS_PER_PAGE = 10;

/**
 * The page at a URL, or null if there is none.
 *
 * @param {Site} site
 * @param {URL} address
 */
export async function pageAt(site, { pathname, searchParams }) {
  const page = pageNumber(searchParams.get('page') ?? '1');
  const [kind, name, ...more] = segmentsOf(pathname);
  if (page === null || more.length > 0) return null;
  if (pathname === '/') return listPage(site, pathname, { page }, 'Newest blogs');
  if (pathname === '/search') return searchPage(site, page, (searchParams.get('q') ?? '').trim());
  if (kind === 'categories' && name) return categoryPage(site, pathname, page, name);
  if (kind === 'tags' && name) return tagPage(site, pathname, page, name);
  if (kind === 'blogs' && name) return blogPage(site, pathname, name);
  return null;
}

/**
 * @param {Site} site
 * @param {string} pathname
 * @param {number} page
 * @param {string} slug
 */
async function categoryPage(site, pathname, page, slug) {
  const categories = await site.client.listCategories({ website_id: site.websiteId });
  const category = categories.find((each) => each.slug === slug);
  if (category === undefined) return null;
  return listPage(site, pathname, { page, category: slug }, category.name, category.description);
}

/**
 * @param {Site} site
 * @param {string} pathname
 * @param {number} page
 * @param {string} slug
 */
async function tagPage(site, pathname, page, slug) {
  const tags = await site.client.listTags({ website_id: site.websiteId });
  const tag = tags.find((each) => each.slug === slug);
  return tag === undefined ? null : listPage(site, pathname, { page, tag: slug }, `Tagged “${tag.name}”`);
}

/**
 * @param {Site} site
 * @param {number} page
 * @param {string} search
 */
function searchPage(site, page, search) {
  const title = search === '' ? 'All blogs' : `Titles with “${search}”`;
  return listPage(site, `/search?q=${encodeURIComponent(search)}`, { page, search }, title);
}

/**
 * @param {Site} site
 * @param {string} address without the page
 * @param {ListBlogsQuery} query
 * @param {string} title
 * @param {string} description
 */
async function listPage(site, address, query, title, description = '') {
  const { client, websiteId, siteName } = site;
  const [{ data, pagination }, aside] = await Promise.all([
    client.listBlogs({ ...query, limit: BLOGS_PER_PAGE, website_id: websiteId }),
    navigationOf(site, address),
  ]);
  if (pagination.page > Math.max(1, pagination.pages)) return null;
  const separator = address.includes('?') ? '&' : '?';
  const main = html`
    <h1>${title}</h1>
    ${description && html`<p class="lead">${description}</p>`}
    ${blogList(data)}
    ${pager(pagination, (page) => (page === 1 ? address : `${address}${separator}page=${page}`))}`;
  return layout({
    siteName,
    title: `${title} · ${siteName}`,
    description,
    search: query.search ?? '',
    aside,
    main,
  });
}

/**
 * @param {Site} site
 * @param {string} pathname
 * @param {string} slug
 */
async function blogPage(site, pathname, slug) {
  const { client, websiteId, siteName } = site;
  const [blog, aside] = await Promise.all([
    client.getBlogBySlug(slug, { website_id: websiteId }),
    navigationOf(site, pathname),
  ]);
  if (blog === null) return null;
  const { title, excerpt, featuredImageUrl, featuredImageAlt, contentHtml, tags } = blog;
  const main = html`
    <article class="blog">
      <h1>${title}</h1>
      ${byline(blog)}
      ${excerpt && html`<p class="lead">${excerpt}</p>`}
      ${featuredImageUrl && html`<img src="${featuredImageUrl}" alt="${featuredImageAlt ?? ''}">`}
      <div class="content">${trusted(contentHtml)}</div>
      ${
        tags.length > 0 &&
        html`<ul class="tags" aria-label="Tags of this blog">${tags.map(
          (tag) => html`<li><a href="/tags/${encodeURIComponent(tag.slug)}">${tag.name}</a></li>`,
        )}</ul>`
      }
    </article>`;
  return layout({
    siteName,
    title: blog.metaTitle ?? `${title} · ${siteName}`,
    description: blog.metaDescription ?? excerpt,
    aside,
    main,
  });
}

/**
 * @param {Site} site
 * @param {string} current
 */
async function navigationOf({ client, websiteId }, current) {
  const [categories, tags] = await Promise.all([
    client.listCategories({ website_id: websiteId }),
    client.listTags({ website_id: websiteId }),
  ]);
  return navigation({ categories, tags }, current);
}

/**
 * The decoded segments of the path, or none if one of them cannot be decoded.
 *
 * @param {string} pathname
 */
function segmentsOf(pathname) {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return [];
  }
}

/**
 * @param {string} text
 */
function pageNumber(text) {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
