import { putDemo } from '../support/dashboards/put-demo.js';
import { ApiUnderTest } from '../support/http/api-under-test.js';
import { Caller } from '../support/http/caller.js';

const README_ANSWER = /(?<=^curl [^\n]*(\/api\/[^\n]*)'\n```\n\n```json\n)[^\n]*/m;

/** README.md with what the API answers to a caller of the demo below its first curl command. */
export async function withAnswer(readme: string): Promise<string> {
  const [, path] = README_ANSWER.exec(readme) ?? [];
  if (path === undefined) throw new Error('README.md shows no answer below its first curl command');
  const api = await ApiUnderTest.start('memory');
  try {
    const caller = await Caller.of(api, await putDemo(api));
    const answer = JSON.stringify((await caller.get(path)).json());
    return readme.replace(README_ANSWER, () => answer);
  } finally {
    await api.stop();
  }
}
