/** Read when it is needed, so that each program needs only its own settings. */
export function setting(
  name: 'API_ORIGIN' | 'API_KEY' | 'WEBSITE_ID' | 'WEBHOOK_SECRET' | 'SITE_ORIGIN',
): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name}: .env.example describes it`);
  return value;
}
