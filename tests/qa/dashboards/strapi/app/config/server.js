module.exports = {
  host: process.env.HOST,
  port: Number(process.env.PORT),
  app: { keys: [process.env.APP_KEY] },
  logger: { updates: { enabled: false }, startup: { enabled: false } },
};
