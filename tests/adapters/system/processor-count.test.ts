import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { processorCount } from '../../../src/adapters/system/processor-count.js';

describe('processorCount', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'machine-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  async function put(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }

  it('is the number that Node reports if no control group limits it', async () => {
    expect(processorCount(root)).to.equal(availableParallelism());
    await put('sys/fs/cgroup/cpu.max', 'max 100000\n');
    expect(processorCount(root)).to.equal(availableParallelism());
    await put('sys/fs/cgroup/cpu.max', '100000000 100000\n');
    expect(processorCount(root)).to.equal(availableParallelism());
  });

  it('is at most what a container is granted, and at least one', async () => {
    await put('sys/fs/cgroup/cpu.max', '150000 100000\n');
    expect(processorCount(root)).to.equal(1);
    await put('sys/fs/cgroup/cpu.max', '50000 100000\n');
    expect(processorCount(root)).to.equal(1);
  });

  it('is the smallest number that a group above a service is granted', async () => {
    await put('proc/self/cgroup', '0::/system.slice/blog.service\n');
    await put('sys/fs/cgroup/cpu.max', 'max 100000\n');
    await put('sys/fs/cgroup/system.slice/cpu.max', '100000 100000\n');
    await put('sys/fs/cgroup/system.slice/blog.service/cpu.max', 'max 100000\n');
    expect(processorCount(root)).to.equal(1);
  });

  it('is one if the group of the process is granted one', async () => {
    await put('proc/self/cgroup', '1:name=systemd:/old\n0::/blog.service\n');
    await put('sys/fs/cgroup/blog.service/cpu.max', '100000 100000\n');
    expect(processorCount(root)).to.equal(1);
  });
});
