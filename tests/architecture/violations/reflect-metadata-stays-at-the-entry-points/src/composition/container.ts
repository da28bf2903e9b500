import 'reflect-metadata'; // breach

export const container = { blogs: {} };
