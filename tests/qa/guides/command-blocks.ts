/** Commands of a page, and the output that the page shows for them. */
export interface CommandBlock {
  /** The line in its file where it begins. */
  readonly line: number;
  readonly commands: string;
  /** The fenced block that follows; null if the page shows no output. */
  readonly output: string | null;
}

const FENCED = /^```(\w*).*\n([\s\S]*?)^```$/gm;
const SHELLS = ['sh', 'bash', 'shell', 'console', 'zsh'];
/** Languages of blocks that no command prints. */
const WRITTEN = [...SHELLS, 'js', 'sql', 'ts', 'yaml'];

export function commandBlocks(markdown: string): readonly CommandBlock[] {
  const blocks = [...markdown.matchAll(FENCED)].map(({ index, 1: language = '', 2: text = '' }) => ({
    line: markdown.slice(0, index).split('\n').length,
    isCommands: SHELLS.includes(language),
    isWritten: WRITTEN.includes(language),
    text,
  }));
  return blocks.flatMap(({ line, isCommands, text }, position) => {
    if (!isCommands) return [];
    const next = blocks[position + 1];
    const output = next === undefined || next.isWritten ? null : next.text;
    return [{ line, commands: text.trim(), output }];
  });
}

/** Ignores white space, because a page has more room than a terminal. `…` stands for anything that was left out. */
export function showsOutput(shown: string, printed: string): boolean {
  const literal = shown.replace(/\s/g, '').split('…').map(escaped);
  return new RegExp(`^${literal.join('.*')}$`, 's').test(printed.replace(/\s/g, ''));
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
