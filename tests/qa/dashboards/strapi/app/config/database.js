module.exports = {
  connection: {
    client: 'postgres',
    connection: { connectionString: process.env.DATABASE_URL },
    pool: { min: 0, max: 5 },
  },
};
