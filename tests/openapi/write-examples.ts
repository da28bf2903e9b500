import { readFile, writeFile } from 'node:fs/promises';
import { demoAnswers } from './demo-answers.js';
import { readmeAnswer } from './readme-answer.js';

const answers = await demoAnswers();
await writeFile('src/adapters/http/openapi/answer-examples.json', `${JSON.stringify(answers, null, 2)}\n`);

const readme = await readFile('README.md', 'utf8');
const shown = JSON.stringify(answers.listBlogs?.value);
await writeFile(
  'README.md',
  readme.replace(readmeAnswer(readme), () => shown),
);
