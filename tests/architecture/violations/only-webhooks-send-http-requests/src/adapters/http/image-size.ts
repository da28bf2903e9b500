import http, { createServer } from 'node:http';
import { get } from 'node:http'; // breach
import { request as ask } from 'node:https'; // breach

export const byGlobal = (url: string) => fetch(url); // breach
export const byModule = (url: string) => http.request(url); // breach
export const byName = (url: string) => [get(url), ask(url)];

export const server = createServer();
