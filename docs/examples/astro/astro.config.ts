import sitemap from '@astrojs/sitemap';
import { defineConfig, envField } from 'astro/config';

export default defineConfig({
  site: 'https://halfbright.example',
  integrations: [sitemap()],
  env: {
    schema: {
      API_ORIGIN: envField.string({ context: 'server', access: 'secret', default: 'http://127.0.0.1:3000' }),
      API_KEY: envField.string({ context: 'server', access: 'secret' }),
      WEBSITE_ID: envField.string({ context: 'server', access: 'secret' }),
    },
  },
});
