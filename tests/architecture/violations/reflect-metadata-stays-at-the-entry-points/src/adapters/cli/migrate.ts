import 'reflect-metadata'; // breach

export const migrate = () => {};
