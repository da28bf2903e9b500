export interface TagRow {
  name: string;
}
