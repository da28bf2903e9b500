export interface RaisedGeneration {
  readonly organizationId: string;
  readonly generation: number;
}
