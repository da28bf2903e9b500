import compose from 'koa-compose'; // breach

export const middleware = compose([]);
