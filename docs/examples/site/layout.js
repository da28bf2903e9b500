import { categoryTree } from './category-tree.js';
import { html } from './html.js';

/**
 * @import { Blog, Category, Pagination, Tag } from 'blog-content-read-api/client'
 * @import { Branch } from './category-tree.js'
 */

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/**
 * The layout of every page.
 *
 * @param {{ siteName: string, title: string, description?: string | null, search?: string, aside?: unknown, main: unknown }} page
 */
export function layout({ siteName, title, description = null, search = '', aside = null, main }) {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  ${description && html`<meta name="description" content="${description}">`}
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/style.css">
</head>
<body>
  <a class="skip" href="#main">Skip to the content</a>
  <header class="site-header">
    <a class="site-name" href="/">${siteName}</a>
    <form role="search" action="/search">
      <label for="q" class="visually-hidden">Search in titles</label>
      <input id="q" name="q" type="search" value="${search}" maxlength="200" placeholder="Search in titles">
      <button>Search</button>
    </form>
  </header>
  <div class="columns">
    <main id="main">${main}</main>
    ${aside && html`<aside>${aside}</aside>`}
  </div>
  <footer class="site-footer">Rendered from the Blog Content Read API.</footer>
</body>
</html>
`;
}

/**
 * @param {{ categories: readonly Category[], tags: readonly Tag[] }} content
 * @param {string} current path of this page
 */
export function navigation({ categories, tags }, current) {
  return html`
    <nav aria-labelledby="categories">
      <h2 id="categories">Categories</h2>
      ${branchList(categoryTree(categories), current)}
    </nav>
    <nav aria-labelledby="tags">
      <h2 id="tags">Tags</h2>
      <ul class="tags">${tags.map((tag) => html`<li>${link(`/tags/${encodeURIComponent(tag.slug)}`, html`${dot(tag)}${tag.name}`, current)}</li>`)}</ul>
    </nav>`;
}

/**
 * @param {readonly Blog[]} blogs
 */
export function blogList(blogs) {
  if (blogs.length === 0) return html`<p>There are no blogs here.</p>`;
  return html`<ol class="blogs">${blogs.map(
    (blog) => html`
    <li>
      <article>
        <h2><a href="/blogs/${encodeURIComponent(blog.slug)}">${blog.title}</a></h2>
        ${byline(blog)}
        ${blog.excerpt && html`<p>${blog.excerpt}</p>`}
      </article>
    </li>`,
  )}</ol>`;
}

/**
 * @param {Pick<Blog, 'publishedAt' | 'readingTimeMinutes' | 'categories'>} blog
 */
export function byline({ publishedAt, readingTimeMinutes, categories }) {
  const links = categories.map(
    ({ name, slug }) => html` · <a href="/categories/${encodeURIComponent(slug)}">${name}</a>`,
  );
  return html`<p class="byline">
    <time datetime="${publishedAt}">${DATE.format(new Date(publishedAt))}</time> · ${readingTimeMinutes} min${links}
  </p>`;
}

/**
 * @param {Pagination} pagination
 * @param {(page: number) => string} addressOf
 */
export function pager({ page, pages }, addressOf) {
  if (pages <= 1) return null;
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 ? html`<a rel="prev" href="${addressOf(page - 1)}">← Newer</a>` : html`<span></span>`}
    <span>Page ${page} of ${pages}</span>
    ${page < pages ? html`<a rel="next" href="${addressOf(page + 1)}">Older →</a>` : html`<span></span>`}
  </nav>`;
}

/**
 * @param {readonly Branch[]} branches
 * @param {string} current
 * @returns {unknown}
 */
function branchList(branches, current) {
  return html`<ul>${branches.map(
    ({ category, children }) => html`
      <li>${link(`/categories/${encodeURIComponent(category.slug)}`, category.name, current)}
        ${children.length > 0 && branchList(children, current)}</li>`,
  )}</ul>`;
}

/**
 * @param {string} address
 * @param {unknown} text
 * @param {string} current
 */
function link(address, text, current) {
  return html`<a href="${address}"${address === current && html` aria-current="page"`}>${text}</a>`;
}

/**
 * A dot in the color of the tag. It is an SVG because the site's Content-Security-Policy forbids style attributes.
 *
 * @param {Tag} tag
 */
function dot({ color }) {
  return html`<svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${color}"/></svg>`;
}
