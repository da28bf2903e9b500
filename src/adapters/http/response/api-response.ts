export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: a 304 has none. */
  readonly body: Buffer | null;
  /** Identifies the body permanently. Null: it is compressed each time. */
  readonly etag: string | null;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
