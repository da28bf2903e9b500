export interface Blog {}
