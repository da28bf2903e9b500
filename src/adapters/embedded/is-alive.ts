import { errorCode } from './error-code.js';

/** Whether a process with this id exists. It need not be the process one thinks of: ids are used again. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
