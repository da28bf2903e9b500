import { open } from '../sql/open.js';

export const read = () => open();
