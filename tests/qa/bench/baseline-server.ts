import { createServer } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';

/** The baseline of the product: exactly the bytes and headers of its answer, sent as constants. */
const constant: { path: string; headers: Record<string, string>; body: string } = JSON.parse(
  process.env.CONSTANT ?? '',
);
const body = Buffer.from(constant.body);
const router = new Router();
router.get(constant.path, (context) => {
  context.set(constant.headers);
  context.body = body;
});
createServer(new Koa().use(router.routes()).callback()).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit());
