import type { KnownWindow } from './known-window.js';
import type { RecordParameters, RecordReply } from './record-script.js';

/** The replies to all questions of one command, in order; an error where Redis refused a question. */
export type Replies = readonly (RecordReply | Error)[];

const NOTHING: { readonly marks: readonly number[]; readonly entries: readonly number[] } = {
  marks: [],
  entries: [],
};

/** One request to the log in Redis. It shares a command with the others of its turn. */
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

  /** Adds entries that Redis has yet to be told for this key, unless another command does that. Returns how many. */
  takeUntold(atMost: number): number {
    const { known } = this;
    if (atMost === 0 || known.isTelling || !known.own.entries.hasUntold) return 0;
    known.isTelling = true;
    this.#told = known.own.entries.untold(atMost);
    return this.#told.marks.length;
  }

  /** `now` is this process's time; null: the question is answered however late it arrives. */
  parameters(now: number | null): RecordParameters {
    const { names, own, window } = this.known;
    const lead = own.entries.clockLead;
    const sentAt = now === null || lead === null ? 0 : now + lead;
    return { names, limit: this.limit, lengthMs: window.lengthMs, sentAt, told: this.#told.marks };
  }

  /** Redis executed the question, which was sent at `sentAt` by this process's time. */
  wasDone(reply: RecordReply, sentAt: number): void {
    this.#done = reply;
    const { entries } = this.known.own;
    // Overestimates the lead of Redis's clock by at most the time that the command took to reach it. So no entry leaves a window early.
    entries.clockLead = reply[4] - sentAt;
    entries.told(this.#told.entries, this.#told.marks);
  }

  /** Nothing of the question is in progress any more. */
  end(): void {
    if (this.#told !== NOTHING) this.known.isTelling = false;
  }

  sentAs(replies: Promise<Replies>, place: number): void {
    this.#sent = { replies, place };
  }

  answerWith(reply: RecordReply | null): void {
    this.#answerWith(reply);
  }

  /** Redis's eventual reply; a promise of null if there will never be one. Null at once if nothing was sent. */
  underway(): Promise<RecordReply | null> | null {
    if (this.#sent === null) return null;
    const { replies, place } = this.#sent;
    return replies.then(
      (all) => {
        const reply = all[place];
        return reply === undefined || reply instanceof Error ? null : reply;
      },
      // The failure may concern a later part of the same command.
      () => this.#done,
    );
  }
}
