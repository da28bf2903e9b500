import { readFile, writeFile } from 'node:fs/promises';
import { calculateAnswers } from './calculated-answers.js';
import { COSTS } from './costs.js';
import { simulateEdits } from './edits.js';
import { needsOf } from './needs.js';
import { partOf, SCENARIO } from './scenario.js';
import { simulateAnswers } from './simulated-answers.js';
import { sectionsOf } from './tables.js';

const DOCUMENT = new URL('../../docs/scaling.md', import.meta.url);
const RESULT = new URL('result.json', import.meta.url);

/** Runs the scenario, and writes the results into docs/scaling.md. */
const hundredth = partOf(SCENARIO, 100);
const result = {
  answers: calculateAnswers(SCENARIO, COSTS),
  edits: simulateEdits(SCENARIO, COSTS),
  check: { calculated: calculateAnswers(hundredth, COSTS), simulated: simulateAnswers(hundredth, COSTS) },
};
const sections = sectionsOf(result, needsOf(result, SCENARIO, COSTS), SCENARIO, COSTS);
let text = await readFile(DOCUMENT, 'utf8');
for (const [name, section] of Object.entries(sections)) {
  const marked = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*(<!-- /${name} -->)`);
  text = text.replace(marked, (_, begin, end) => `${begin}${section}\n${end}`);
}
await writeFile(RESULT, `${JSON.stringify(result, null, 2)}\n`);
await writeFile(DOCUMENT, text);
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
