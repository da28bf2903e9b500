import { client } from '../client/blog-client.js'; // breach

export const warmUp = () => client.blogs;
