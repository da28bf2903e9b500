export interface Admission {}
