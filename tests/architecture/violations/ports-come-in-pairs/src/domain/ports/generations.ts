export interface Generations { // breach
  of(organization: string): number;
}
