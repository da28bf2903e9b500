export interface Context {}
