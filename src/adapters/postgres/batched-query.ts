import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Longer than a healthy database takes, and little beside what a sick one may cost. */
const LONGEST_WAIT_MS = 100;

type Answers<Answer> = ReadonlyMap<string, Answer>;

interface Round<Answer> {
  readonly questions: Set<string>;
  readonly answers: Promise<Answers<Answer>>;
}

/** One query for all that is asked in one turn of the event loop, or while the last query is under way: a crowd takes one connection. */
export class BatchedQuery<Answer> {
  #next: Round<Answer> | null = null;
  #underway: Promise<unknown> = Promise.resolve();

  constructor(private readonly query: (questions: string[]) => Promise<Answers<Answer>>) {}

  /** What the database says after this call, not before. */
  async ask(question: string): Promise<Answer | undefined> {
    this.#next ??= this.#prepare();
    const { questions, answers } = this.#next;
    questions.add(question);
    return (await answers).get(question);
  }

  #prepare(): Round<Answer> {
    const questions = new Set<string>();
    const send = async () => {
      await nextTurn();
      await Promise.race([this.#underway, pause(LONGEST_WAIT_MS, undefined, { ref: false })]);
      this.#next = null;
      const answers = this.query([...questions]);
      this.#underway = answers.catch(() => {});
      return answers;
    };
    return { questions, answers: send() };
  }
}
