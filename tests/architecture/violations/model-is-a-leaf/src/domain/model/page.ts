export interface Page {}
