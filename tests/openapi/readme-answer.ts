const README_ANSWER = /(?<=^curl [^\n]*\/blogs\?limit=1'\n```\n\n```json\n)[^\n]*/m;

/** The answer in README.md. */
export function readmeAnswer(readme: string): string {
  const [shown] = README_ANSWER.exec(readme) ?? [];
  if (shown === undefined) throw new Error('README.md shows no answer below its first curl command');
  return shown;
}
