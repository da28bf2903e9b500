import { expect } from 'chai'; // breach

export const controller = expect;
