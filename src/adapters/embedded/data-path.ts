import { existsSync } from 'node:fs';

/**
 * The data folder as its own server is to name it, being in it. The server's user may be unable to enter a folder
 * above (root starts the program below /root): where the system has this name for the current folder, no path leads
 * through those, because Node changes into the folder before it changes the user.
 */
export function dataPath(dataFolder: string): string {
  const current = '/proc/self/cwd';
  return existsSync(current) ? current : dataFolder;
}
