import { port } from './environment.js';

export const main = () => port;
