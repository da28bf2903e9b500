import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };

const TEMPLATES = '.github/ISSUE_TEMPLATE';

interface Rule {
  readonly description?: string;
  readonly matchPackageNames: readonly string[];
}

describe('The configuration of hosts and tools', () => {
  it('has a reason for each exceptional update rule, and rules only for existing packages', () => {
    const { packageRules }: { packageRules: Rule[] } = JSON.parse(readFileSync('renovate.json', 'utf8'));
    const { dependencies, devDependencies, optionalDependencies } = packageJson;
    const packages = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
    for (const { description, matchPackageNames } of packageRules) {
      expect(description, matchPackageNames.join()).to.match(/.{20,}/);
      for (const name of matchPackageNames) {
        const prefix = name.replace(/\*+$/, '');
        expect(
          packages.some((each) => (name === prefix ? each === name : each.startsWith(prefix))),
          name,
        ).to.equal(true);
      }
    }
  });

  it('has the Node line of the image for development', () => {
    const lineOf = (file: string) => /(?<=^FROM \S+:)\d+/m.exec(readFileSync(file, 'utf8'))?.[0];
    expect(lineOf('.devcontainer/Dockerfile')).to.equal(lineOf('Dockerfile'));
    const { build, postCreateCommand } = JSON.parse(readFileSync('.devcontainer/devcontainer.json', 'utf8'));
    expect(build).to.eql({ dockerfile: 'Dockerfile' });
    for (const [, script = ''] of postCreateCommand.matchAll(/npm run (\S+)/g)) {
      expect(packageJson.scripts).to.have.property(script);
    }
  });

  for (const file of readdirSync(TEMPLATES).filter((name) => name !== 'config.yml')) {
    it(`has a label and a unique id for each field of ${file}`, () => {
      const { name, description, body } = parse(readFileSync(`${TEMPLATES}/${file}`, 'utf8'));
      expect([name, description]).to.satisfy((texts: unknown[]) =>
        texts.every((text) => typeof text === 'string'),
      );
      const ids = body.map(({ id }: { id: string }) => id);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const { type, attributes } of body) {
        expect(type).to.be.oneOf(['textarea', 'input', 'dropdown']);
        expect(attributes.label).to.match(/\w+/);
        expect(Array.isArray(attributes.options), attributes.label).to.equal(type === 'dropdown');
      }
    });
  }
});
