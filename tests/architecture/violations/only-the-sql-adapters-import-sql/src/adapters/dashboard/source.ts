import { open } from '../sql/open.js';

export const source = () => open();
