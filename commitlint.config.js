const UNFINISHED = /^(fixup|squash|amend)!|^wip\b/i;
const TYPED = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\(.*?\))?!?: /;

/** Messages are plain sentences: the CHANGELOG is written by hand, so that nothing has to read types and scopes from them. */
export default {
  defaultIgnores: false,
  ignores: [(message) => message.startsWith('Merge ')],
  plugins: [
    {
      rules: {
        'is-finished': ({ header }) => [!UNFINISHED.test(header ?? ''), 'squash it before it is shared'],
        'is-sentence': ({ header }) => [!TYPED.test(header ?? ''), 'say it in a sentence, without a type'],
      },
    },
  ],
  rules: {
    'is-finished': [2, 'always'],
    'is-sentence': [2, 'always'],
    'header-min-length': [2, 'always', 15],
    // Only a warning, because a long sentence is better than an incomplete one.
    'header-max-length': [1, 'always', 120],
    'header-full-stop': [2, 'never', '.'],
    'body-leading-blank': [2, 'always'],
  },
};
