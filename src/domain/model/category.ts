export interface Category {
  readonly id: string;
  readonly websiteId: string;
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly parentId: string | null;
  readonly sortOrder: number;
}
