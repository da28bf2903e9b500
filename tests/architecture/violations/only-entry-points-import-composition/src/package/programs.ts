export { container } from '../composition/container.js';
export { api } from '../programs/api/api-program.js';
