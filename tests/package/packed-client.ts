import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { pack } from './pack.js';

/**
 * Packs the built client, with the version of the project and without dependencies. Returns the path of the tarball.
 */
export async function packClient(destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'blog-read-api-client-'));
  try {
    await cp('dist/client', folder, { recursive: true });
    await cp('LICENSE', join(folder, 'LICENSE'));
    await writeFile(join(folder, 'package.json'), JSON.stringify(packageOfClient(), null, 2));
    return await pack(folder, destination);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function packageOfClient() {
  const { name, version, license, type, engines } = packageJson;
  return {
    name: `${name}-client`,
    version,
    description: 'The client of the Blog Content Read API.',
    license,
    type,
    engines,
    sideEffects: false,
    exports: {
      '.': { types: './blog-client.d.ts', default: './blog-client.js' },
      './package.json': './package.json',
    },
    files: ['*.js', '*.d.ts'],
  };
}
