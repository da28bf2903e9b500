import { existsSync } from 'node:fs';

/**
 * The data folder as its own server names it. The server's user may not be able to enter a parent folder (root may start the program below
 * /root). Where the system has a name for the current folder, no path through the parents is needed, because Node changes the folder
 * before it changes the user.
 */
export function dataPath(dataFolder: string): string {
  const current = '/proc/self/cwd';
  return existsSync(current) ? current : dataFolder;
}
