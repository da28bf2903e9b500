export interface CachedAnswer {
  readonly etag: string;
  /** The generation with which the API last sent or confirmed it. */
  readonly generation: number;
  /** When the API last sent or confirmed it, by `performance.now()`. */
  readonly at: number;
  readonly text: string;
}

/** The last answer of each address; what was sent or confirmed longest ago is evicted first. */
export class CachedAnswers {
  readonly #answers = new Map<string, CachedAnswer>();
  #characters = 0;

  constructor(private readonly maxCharacters: number) {}

  get(address: string): CachedAnswer | null {
    return this.#answers.get(address) ?? null;
  }

  set(address: string, answer: CachedAnswer): void {
    this.#remove(address);
    // It would evict all others and still not fit.
    if (size(address, answer) > this.maxCharacters) return;
    this.#answers.set(address, answer);
    this.#characters += size(address, answer);
    // A Map keeps insertion order.
    for (const oldest of this.#answers.keys()) {
      if (this.#characters <= this.maxCharacters) return;
      this.#remove(oldest);
    }
  }

  #remove(address: string): void {
    const answer = this.#answers.get(address);
    if (answer === undefined) return;
    this.#answers.delete(address);
    this.#characters -= size(address, answer);
  }
}

function size(address: string, { etag, text }: CachedAnswer): number {
  return address.length + etag.length + text.length;
}
