import Router from '@koa/router'; // breach
import type Koa from 'koa'; // breach

export const keys = (app: Koa) => [app, Router];
