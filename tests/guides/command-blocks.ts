/** Commands of a page, and what the page says that they print. */
export interface CommandBlock {
  /** Where it begins in its file. */
  readonly line: number;
  readonly commands: string;
  /** The page says so itself, behind the language: "sh not-run". */
  readonly isRun: boolean;
  /** The fenced block that follows; null where the page shows no output. */
  readonly output: string | null;
}

const FENCED = /^```(\w*)(.*)\n([\s\S]*?)^```$/gm;
const SHELLS = ['sh', 'bash', 'shell', 'console', 'zsh'];

export function commandBlocks(markdown: string): readonly CommandBlock[] {
  const blocks = [...markdown.matchAll(FENCED)].map(
    ({ index, 1: language = '', 2: mark = '', 3: text = '' }) => ({
      line: markdown.slice(0, index).split('\n').length,
      isCommands: SHELLS.includes(language),
      mark: mark.trim(),
      text,
    }),
  );
  return blocks.flatMap(({ line, isCommands, mark, text }, position) => {
    if (!isCommands) return [];
    const next = blocks[position + 1];
    const output = next === undefined || next.isCommands ? null : next.text;
    return [{ line, commands: text.trim(), isRun: mark !== 'not-run', output }];
  });
}

/** White space does not count, for a page has more room than a terminal; `…` stands for whatever was left out. */
export function showsOutput(shown: string, printed: string): boolean {
  const literal = shown.replace(/\s/g, '').split('…').map(escaped);
  return new RegExp(`^${literal.join('.*')}$`, 's').test(printed.replace(/\s/g, ''));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
