import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { pack } from './pack.js';

/** Makes a tarball of what was built of the client. It has the version of the project, and needs no package. Answers its path. */
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
