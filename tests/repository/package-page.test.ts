import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import packageJson from '../../package.json' with { type: 'json' };

describe('The page of the package on npm', () => {
  it('names one repository, which a maintainer replaces in package.json alone', () => {
    const { homepage, bugs, repository } = packageJson;
    const address = /^git\+(https:\/\/github\.com\/[\w-]+\/[\w-]+)\.git$/.exec(repository.url)?.[1];
    expect({ homepage, bugs }).to.eql({ homepage: `${address}#readme`, bugs: `${address}/issues` });
  });

  it('has only links of README that npm resolves in the repository', () => {
    const readme = readFileSync('README.md', 'utf8');
    const targets = [...readme.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)].flatMap(
      ([, link, attribute]) => link ?? attribute ?? [],
    );
    const relative = targets.filter((target) => !/^(https:|#)/.test(target));
    expect(relative).not.to.have.length(0);
    for (const target of relative) {
      expect(target).not.to.match(/^(\/|\.)/);
      expect(existsSync(target.replace(/#.*/, '')), target).to.equal(true);
    }
  });
});
