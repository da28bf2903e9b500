import { api } from '../../programs/api/api-program.js'; // breach

export const controller = api.blogs;
