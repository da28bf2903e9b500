import { stub } from 'sinon'; // breach

export const controller = stub;
