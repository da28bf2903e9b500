export interface Tag {
  readonly id: string;
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}
