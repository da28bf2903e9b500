export interface Tag {
  readonly id: string;
}
