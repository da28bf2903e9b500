export interface Step {}
