import { injectable } from 'inversify'; // breach

export const controller = injectable;
