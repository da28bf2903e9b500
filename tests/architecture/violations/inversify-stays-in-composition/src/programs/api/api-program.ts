import type { Container } from 'inversify'; // breach

export const start = (container: Container) => container;
