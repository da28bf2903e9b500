import { resolve } from 'node:path';
import { expect } from 'chai';
import ts from 'typescript';

describe('tests/client/types.ts', () => {
  it('is compiled by `npm run check`, against the types that the package exports', () => {
    const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
    const file = resolve('tests/client/types.ts');
    expect(fileNames.map((name) => resolve(name))).to.include(file);
    const { resolvedModule } = ts.resolveModuleName(
      'blog-content-read-api/client',
      file,
      options,
      ts.sys,
      undefined,
      undefined,
      ts.ModuleKind.ESNext,
    );
    expect(resolvedModule?.resolvedFileName).to.equal(resolve('dist/client/blog-client.d.ts'));
  });
});
