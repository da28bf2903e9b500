import type { RowKind } from '../../domain/model/read-model.js';

const BAR_WIDTH = 30;
const LABELS = { apiKeys: 'keys', categories: 'categories', tags: 'tags', blogs: 'blogs' };

/** The progress of a walk over all rows of one kind. */
export interface RebuildProgress {
  readonly kind: RowKind;
  readonly done: number;
  readonly total: number;
}

export interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows a progress bar on a terminal, and elsewhere one line for each tenth. */
export function progressReport(output: Output): (progress: RebuildProgress) => void {
  let lastLine = '';
  return ({ kind, done, total }) => {
    const share = total === 0 ? 1 : done / total;
    const label = LABELS[kind].padEnd(10);
    if (output.isTTY) {
      const filled = Math.round(share * BAR_WIDTH);
      const bar = '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
      output.write(`\r\x1b[K${label} ${bar} ${done}/${total}${done === total ? '\n' : ''}`);
      return;
    }
    const line = `${label} ${Math.floor(share * 10) * 10} %`;
    if (line !== lastLine) output.write(`${line} (${done}/${total})\n`);
    lastLine = line;
  };
}
