import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/**
 * How many processors this process may use: those that it may run on, and no more than the control group (cgroup v2) of a container or a
 * service grants it. Node itself does not look at the latter before version 24.
 */
export function processorCount(root = '/'): number {
  return Math.max(1, Math.min(availableParallelism(), ...quotas(root).map(Math.floor)));
}

/** Of the group of this process and of all above it, as far as they can be seen: in a container the uppermost is its own. */
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
