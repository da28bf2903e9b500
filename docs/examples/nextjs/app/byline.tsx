const DATE = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

interface Props {
  publishedAt: string;
  readingTimeMinutes: number;
  categories: readonly { name: string; slug: string }[];
}

export function Byline({ publishedAt, readingTimeMinutes, categories }: Props) {
  const parts = [
    DATE.format(new Date(publishedAt)),
    `${readingTimeMinutes} min`,
    ...categories.map(({ name }) => name),
  ];
  return <p className="byline">{parts.join(' · ')}</p>;
}
