import { readFileSync } from 'node:fs';

const PART = /\{\{ ([^{}]+) \}\}/g;

/** A statement in a file of `db/dashboard`, in which `{{ name }}` stands for a part. */
export function sqlTemplate<Part extends string = never>(file: string) {
  const text = readFileSync(new URL(`../../../../db/dashboard/${file}`, import.meta.url), 'utf8').trimEnd();
  return (parts: Readonly<Record<Part, string>>): string =>
    text.replace(PART, (_, name: Part) => {
      const part = parts[name];
      if (part === undefined)
        throw new Error(`db/dashboard/${file} has the part ${name}, which is not given`);
      return part;
    });
}
