import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { blogBySlug, newestBlogs } from '../../../lib/content';
import { Byline } from '../../byline';

interface Props {
  params: Promise<{ slug: string }>;
}

/** A build renders the newest blogs, and the first visitor of each other page renders that. */
export async function generateStaticParams() {
  return (await newestBlogs()).map(({ slug }) => ({ slug }));
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const blog = await blogBySlug((await params).slug);
  if (blog === null) return {};
  return {
    title: blog.metaTitle ?? blog.title,
    description: blog.metaDescription ?? blog.excerpt,
    alternates: { canonical: `/blog/${blog.slug}` },
  };
}

export default async function BlogPage({ params }: Props) {
  const blog = await blogBySlug((await params).slug);
  if (blog === null) notFound();
  return (
    <article>
      <h1>{blog.title}</h1>
      <Byline {...blog} />
      {/* The HTML comes from your own dashboard. Sanitize it here if others write there. */}
      <div dangerouslySetInnerHTML={{ __html: blog.contentHtml }} />
    </article>
  );
}
