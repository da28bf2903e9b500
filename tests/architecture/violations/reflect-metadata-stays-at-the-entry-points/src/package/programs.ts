import 'reflect-metadata';

export { container } from '../composition/container.js';
