import { defineCollection } from 'astro:content';
import { z } from 'astro/zod';
import { blogLoader } from './content-loader';

const labels = z.array(z.object({ name: z.string(), slug: z.string() }));

const blogs = defineCollection({
  loader: blogLoader(),
  schema: z.object({
    title: z.string(),
    slug: z.string(),
    excerpt: z.string().nullable(),
    metaTitle: z.string().nullable(),
    metaDescription: z.string().nullable(),
    readingTimeMinutes: z.number(),
    publishedAt: z.coerce.date(),
    categories: labels,
    tags: labels,
    formerSlugs: z.array(z.string()),
  }),
});

export const collections = { blogs };
