import type { Clock } from '../../domain/ports/clock.js';
import type { RedisClient } from './connect-redis.js';
import type { KnownWindow } from './known-window.js';
import { RecordQuestion, type Replies } from './record-question.js';
import { runRecord } from './record-script.js';
import type { RedisGuard } from './redis-guard.js';

/** Limits of one command, so that it does not block Redis noticeably. */
const TOLD_AT_ONCE = 500;
const ASKED_AT_ONCE = 1_000;

const TOO_LATE = new Error('Redis came to a request too late');

/**
 * Sends all questions of one turn of the event loop to the logs in Redis as one command at its end, or as one command for each slot of a
 * cluster. The command has one deadline. If it fails, each request falls back separately. If Redis refuses a part, only that request does.
 */
export class RecordTurn {
  #questions: RecordQuestion[] = [];

  constructor(
    private readonly guard: Pick<RedisGuard, 'run'>,
    private readonly clock: Clock,
    /** Called before anything is sent. */
    private readonly onEnd: () => void,
  ) {}

  ask(known: KnownWindow, limit: number): RecordQuestion {
    const question = new RecordQuestion(known, limit);
    if (this.#questions.push(question) === 1) setImmediate(() => this.#end());
    return question;
  }

  #end(): void {
    const questions = this.#questions;
    this.#questions = [];
    this.onEnd();
    for (const together of inCommands(questions)) void this.#send(together);
  }

  async #send(questions: readonly RecordQuestion[]): Promise<void> {
    let isAwaited = true;
    const replies = await this.guard.run<Replies | null>(
      (redis) => {
        const sent = this.#command(redis, questions, () => isAwaited);
        questions.forEach((question, place) => {
          question.sentAs(sent, place);
        });
        return sent;
      },
      () => {
        isAwaited = false;
        return null;
      },
      questions[0]?.known.names.log,
    );
    questions.forEach((question, place) => {
      const reply = replies?.[place] ?? null;
      if (reply instanceof Error) void this.#fail(question, reply);
      else question.answerWith(reply);
    });
  }

  /** Handles the refusal as if the question had been sent alone. */
  async #fail(question: RecordQuestion, refusal: Error): Promise<void> {
    const { log } = question.known.names;
    await this.guard.run<null>(
      () => Promise.reject(refusal),
      () => null,
      log,
    );
    question.answerWith(null);
  }

  async #command(
    redis: RedisClient,
    questions: readonly RecordQuestion[],
    isAwaited: () => boolean,
  ): Promise<Replies> {
    let room = TOLD_AT_ONCE;
    for (const question of questions) room -= question.takeUntold(room);
    try {
      const replies = await this.#ask(redis, questions, this.clock.now());
      const late = questions.filter((_, place) => isLate(replies[place]));
      if (late.length === 0) return replies;
      // Redis's clock was set, or this process was too busy to send the command in time.
      const again = isAwaited() ? await this.#ask(redis, late, null) : late.map(() => TOO_LATE);
      let next = 0;
      return replies.map((reply) => (isLate(reply) ? (again[next++] ?? TOO_LATE) : reply));
    } finally {
      for (const question of questions) question.end();
    }
  }

  async #ask(redis: RedisClient, questions: readonly RecordQuestion[], now: number | null): Promise<Replies> {
    const sentAt = now ?? this.clock.now();
    const replies = await runRecord(
      redis,
      questions.map((question) => question.parameters(now)),
    );
    replies.forEach((reply, place) => {
      if (!(reply instanceof Error) && !isLate(reply)) questions[place]?.wasDone(reply, sentAt);
    });
    return replies;
  }
}

function isLate(reply: Replies[number] | undefined): boolean {
  return Array.isArray(reply) && reply[0] === -1;
}

function inCommands(questions: readonly RecordQuestion[]): readonly (readonly RecordQuestion[])[] {
  const commands: RecordQuestion[][] = [];
  const ofSlots = new Map<number, RecordQuestion[]>();
  for (const question of questions) {
    let command = ofSlots.get(question.known.slot);
    if (command === undefined || command.length === ASKED_AT_ONCE) {
      command = [];
      ofSlots.set(question.known.slot, command);
      commands.push(command);
    }
    command.push(question);
  }
  return commands;
}
