import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from './check.js';
import { sourceFiles } from './sources.js';

const LONGEST_COMMENT = 100;
const COMMENT = /^\s*(?:\/\/|\/?\*)/;

export const comments: Check = {
  rules: [
    {
      name: 'comments-have-at-most-100-columns',
      comment: 'A comment says why, in one clause; what takes more is a name, a function or an ADR.',
    },
  ],

  async findBreaches(project) {
    return sourceFiles(project, 'src').flatMap((file) =>
      readFileSync(join(project, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          COMMENT.test(line) && line.length > LONGEST_COMMENT
            ? [{ rule: 'comments-have-at-most-100-columns', place: `${file}:${index + 1}` }]
            : [],
        ),
    );
  },
};
