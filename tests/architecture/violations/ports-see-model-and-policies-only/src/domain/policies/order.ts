export interface Order {}
