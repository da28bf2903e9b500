import Link from 'next/link';
import { newestBlogs } from '../lib/content';
import { Byline } from './byline';

export default async function Home() {
  const blogs = await newestBlogs();
  return blogs.map((blog) => (
    <article key={blog.id}>
      <h2>
        <Link href={`/blog/${blog.slug}`}>{blog.title}</Link>
      </h2>
      <Byline {...blog} />
      <p>{blog.excerpt}</p>
    </article>
  ));
}
