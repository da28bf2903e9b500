export interface Blog {
  readonly publishedAt: Date;
}
