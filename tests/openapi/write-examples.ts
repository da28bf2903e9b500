import { writeFile } from 'node:fs/promises';
import { demoAnswers } from './demo-answers.js';

const text = JSON.stringify(await demoAnswers(), null, 2);
await writeFile('src/adapters/http/openapi/answer-examples.json', `${text}\n`);
