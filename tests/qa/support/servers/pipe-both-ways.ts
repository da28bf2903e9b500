import type { Socket } from 'node:net';

/** Passes on what each side sends, and ends both when one ends. */
export function pipeBothWays(client: Socket, server: Socket): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.setNoDelay();
    from.on('error', () => {});
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}
