import { port } from '../bin/environment.js'; // breach

export const listen = () => port;
