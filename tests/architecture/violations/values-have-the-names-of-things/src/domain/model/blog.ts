export interface Blog {
  readonly title: string;
  readonly present: boolean; // breach
}
