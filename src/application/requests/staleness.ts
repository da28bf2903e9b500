/** How long outdated content may be served while the read tables are unavailable. */
export class Staleness {
  /** 0: none is served. */
  constructor(private readonly staleIfErrorMs: number) {}

  /** A generation after `keyGeneration`, at which the key was valid, may have revoked it. */
  mayServe(
    { generation, expiresAt }: { readonly generation: number; readonly expiresAt: number },
    lifetimeMs: number,
    keyGeneration: number,
    now: number,
  ): boolean {
    // More than a whole lifetime is left if the clock was set back.
    const isOfThePast = expiresAt - now <= lifetimeMs;
    return (
      this.staleIfErrorMs > 0 &&
      generation <= keyGeneration &&
      isOfThePast &&
      now < expiresAt + this.staleIfErrorMs
    );
  }

  /** Whether a generation that was read this long ago may be used as the current one. */
  mayUseGeneration(ageMs: number): boolean {
    return ageMs < this.staleIfErrorMs;
  }
}
