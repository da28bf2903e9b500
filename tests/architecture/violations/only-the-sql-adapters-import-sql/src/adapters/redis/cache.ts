import { open } from '../sql/open.js'; // breach

export const cache = () => open();
