import { createServer, type RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';

/** The baseline of the product: exactly the bytes and headers of its answer, sent as constants. */
const constant: { path: string; headers: Record<string, string>; body: string; withKoa: boolean } =
  JSON.parse(process.env.CONSTANT ?? '');
const body = Buffer.from(constant.body);
const router = new Router();
router.get(constant.path, (context) => {
  context.set(constant.headers);
  context.body = body;
});
const send: RequestListener = (_, response) => response.writeHead(200, constant.headers).end(body);
const listener = constant.withKoa ? new Koa().use(router.routes()).callback() : send;
createServer(listener).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit());
