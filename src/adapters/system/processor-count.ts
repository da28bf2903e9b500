import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** By its CPU affinity and the quotas of cgroup v2, which Node ignores before version 24. */
export function processorCount(root = '/'): number {
  return Math.max(1, Math.min(availableParallelism(), ...quotas(root).map(Math.floor)));
}

/** In a container, the topmost visible group is its own. */
function quotas(root: string): readonly number[] {
  const group = /^0::(.*)$/m.exec(textOf(join(root, 'proc/self/cgroup')))?.[1] ?? '/';
  const names = group.split('/').filter((name) => name !== '' && name !== '..');
  const files = [...names, ''].map((_, depth) =>
    join(root, 'sys/fs/cgroup', ...names.slice(0, depth), 'cpu.max'),
  );
  return files.flatMap((file) => {
    const [, quota, period] = /^(\d+) (\d+)/.exec(textOf(file)) ?? [];
    return quota === undefined ? [] : [Number(quota) / Number(period)];
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
