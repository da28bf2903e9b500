/** Only the admin API: without the panel there is nothing to build. */
module.exports = {
  serveAdminPanel: false,
  auth: { secret: process.env.ADMIN_JWT_SECRET },
  apiToken: { salt: process.env.API_TOKEN_SALT },
};
