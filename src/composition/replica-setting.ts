import { databaseName } from '../adapters/postgres/database-name.js';
import { postgresUrl } from './address-setting.js';
import type { Setting } from './setting.js';

/** Default: none. */
export function postgresUrlList(variable: string, meaning: string): Setting<readonly string[]> {
  const { read } = postgresUrl(variable, meaning);
  return {
    variable,
    meaning,
    fallbackShown: '–',
    whenMissing: { value: [] },
    secret: true,
    read: (text) => {
      const urls = text.split(',').map((url) => read(url.trim()));
      const names = urls.map(databaseName);
      const twice = names.find((name, at) => names.indexOf(name) < at);
      if (twice !== undefined) throw new Error(`must name each database once, not ${twice} twice`);
      return urls;
    },
  };
}
