export interface Blog {
  title: string;
}
