/** What a look at the change capture of the dashboard's database shows. */
export interface CaptureLook {
  /** What is not as it should be, so that changes may not be noted. */
  readonly broken: readonly string[];
  /** Of each thing that it hangs on, what becomes another one with whatever happens to it, also if it is undone. */
  readonly seen: Readonly<Record<string, string>>;
}

/** What is remembered of the looks before. */
export interface NotedCapture {
  /** As it was when it was whole last; null: it never was. */
  readonly seen: CaptureLook['seen'] | null;
  readonly isBroken: boolean;
}

export type CaptureChange =
  /** It is as it was when it was noted last. */
  | { readonly kind: 'none' }
  | { readonly kind: 'broken' }
  /** It is whole, and was not in between: these are other ones now. */
  | { readonly kind: 'mended'; readonly changed: readonly string[] };
