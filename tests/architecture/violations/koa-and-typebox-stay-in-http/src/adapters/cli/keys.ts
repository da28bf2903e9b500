import Router from '@koa/router'; // breach
import type Koa from 'koa'; // breach
import { Type } from 'typebox'; // breach

export const keys = (app: Koa) => [app, Router, Type];
