import type { KnownWindow } from './known-window.js';
import type { RecordParameters, RecordReply } from './record-script.js';

/** The replies to all calls of one command, in order; an error where Redis refused a call. */
export type Replies = readonly (RecordReply | Error)[];

const NOTHING: { readonly marks: readonly number[]; readonly entries: readonly number[] } = {
  marks: [],
  entries: [],
};

/** One call of the record script for one key. It shares a command with the other calls of its turn. */
export class RecordCall {
  /** Null: Redis did not answer in time, refused, or is unavailable. */
  readonly reply: Promise<RecordReply | null>;
  #resolve: (reply: RecordReply | null) => void = () => {};
  #replayed = NOTHING;
  #done: RecordReply | null = null;
  #sent: { readonly replies: Promise<Replies>; readonly place: number } | null = null;

  /** A limit of 0 records nothing. */
  constructor(
    readonly known: KnownWindow,
    readonly limit: number,
  ) {
    this.reply = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Adds the entries of this key that have to be replayed, unless another command replays them. Returns how many. */
  takeForReplay(atMost: number): number {
    const { known } = this;
    if (atMost === 0 || known.isReplaying || !known.own.entries.hasEntriesToReplay) return 0;
    known.isReplaying = true;
    this.#replayed = known.own.entries.entriesToReplay(atMost);
    return this.#replayed.marks.length;
  }

  /** `now` is this process's time; null: the call is executed however late it arrives. */
  parameters(now: number | null): RecordParameters {
    const { names, own, window } = this.known;
    const lead = own.entries.clockLead;
    const sentAt = now === null || lead === null ? 0 : now + lead;
    return { names, limit: this.limit, lengthMs: window.lengthMs, sentAt, replayed: this.#replayed.marks };
  }

  /** Redis executed the call, which was sent at `sentAt` by this process's time. */
  addReply(reply: RecordReply, sentAt: number): void {
    this.#done = reply;
    const { entries } = this.known.own;
    // Overestimates the lead of Redis's clock by at most the time that the command took to reach it. So no entry leaves a window early.
    entries.clockLead = reply[4] - sentAt;
    entries.confirmReplayed(this.#replayed.entries, this.#replayed.marks);
  }

  /** Nothing of the call is in progress any more. */
  end(): void {
    if (this.#replayed !== NOTHING) this.known.isReplaying = false;
  }

  sentAs(replies: Promise<Replies>, place: number): void {
    this.#sent = { replies, place };
  }

  resolveWith(reply: RecordReply | null): void {
    this.#resolve(reply);
  }

  /** Redis's eventual reply; a promise of null if there will never be one. Null at once if nothing was sent. */
  eventualReply(): Promise<RecordReply | null> | null {
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
