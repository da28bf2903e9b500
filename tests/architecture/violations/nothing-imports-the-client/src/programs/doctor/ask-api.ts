import { client } from '../../client/blog-client.js'; // breach

export const askApi = () => client.blogs;
