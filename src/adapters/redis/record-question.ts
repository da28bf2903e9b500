import type { KnownWindow } from './known-window.js';
import type { RecordParameters, RecordReply } from './record-script.js';

/** Of all questions of one command, in their order; an error where Redis refused that one. */
export type Replies = readonly (RecordReply | Error)[];

const NOTHING: { readonly marks: readonly number[]; readonly entries: readonly number[] } = {
  marks: [],
  entries: [],
};

/** One request on its way to Redis, in a command with the others of its turn. */
export class RecordQuestion {
  /** Null: Redis did not answer in time, refused, or is away. */
  readonly answer: Promise<RecordReply | null>;
  #answerWith: (reply: RecordReply | null) => void = () => {};
  #told = NOTHING;
  #done: RecordReply | null = null;
  #sent: { readonly replies: Promise<Replies>; readonly place: number } | null = null;

  /** A limit of 0 records nothing. */
  constructor(
    readonly known: KnownWindow,
    readonly limit: number,
  ) {
    this.answer = new Promise((resolve) => {
      this.#answerWith = resolve;
    });
  }

  /** Takes along what Redis has to be told of this key, unless another command does, and answers how much that is. */
  takeUntold(atMost: number): number {
    const { known } = this;
    if (atMost === 0 || known.isTelling || !known.own.entries.hasUntold) return 0;
    known.isTelling = true;
    this.#told = known.own.entries.untold(atMost);
    return this.#told.marks.length;
  }

  /** `now` is this process's time; null where the question is to be answered however late it comes. */
  parameters(now: number | null): RecordParameters {
    const { names, own, window } = this.known;
    const lead = own.entries.clockLead;
    const sentAt = now === null || lead === null ? 0 : now + lead;
    return { names, limit: this.limit, lengthMs: window.lengthMs, sentAt, told: this.#told.marks };
  }

  /** Redis has done what was asked of it at `sentAt`, by this process's time. */
  wasDone(reply: RecordReply, sentAt: number): void {
    this.#done = reply;
    const { entries } = this.known.own;
    // By no more than the way there took, Redis's clock is taken to be further on: so that nothing leaves a window early.
    entries.clockLead = reply[4] - sentAt;
    entries.told(this.#told.entries, this.#told.marks);
  }

  /** Nothing of it is on its way any more. */
  end(): void {
    if (this.#told !== NOTHING) this.known.isTelling = false;
  }

  sentAs(replies: Promise<Replies>, place: number): void {
    this.#sent = { replies, place };
  }

  answerWith(reply: RecordReply | null): void {
    this.#answerWith(reply);
  }

  /** What Redis answers in the end, null if it never will; at once null where nothing was sent. */
  underway(): Promise<RecordReply | null> | null {
    if (this.#sent === null) return null;
    const { replies, place } = this.#sent;
    return replies.then(
      (all) => {
        const reply = all[place];
        return reply === undefined || reply instanceof Error ? null : reply;
      },
      // What failed may be what came after it in the same command.
      () => this.#done,
    );
  }
}
