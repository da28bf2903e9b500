export { container } from '../composition/container.js';
