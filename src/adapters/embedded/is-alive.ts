import { errorCode } from './error-code.js';

/** Whether a process with this id exists. It may be a different process than before, since ids are reused. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
