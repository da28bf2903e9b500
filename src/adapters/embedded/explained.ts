import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const advice: readonly (readonly [RegExp, string])[] = [
  [
    /pre-existing shared memory block/,
    'A process of a PostgreSQL that was killed still uses this data: wait until it ends, or end it, then start again.',
  ],
  [
    /No space left on device|Check free disk space|Disk quota exceeded|ENOSPC|EDQUOT/,
    'The disk is full: free some space, then start again.',
  ],
  [
    /could not (map anonymous|create|resize) shared memory|Cannot allocate memory/,
    'There is too little free memory: end other programs, then start again.',
  ],
  [
    /checkpoint record|invalid magic number|could not read (file|blocks)|is corrupted|unexpected data beyond/,
    'The data seems damaged: restore the folder from a backup, or move it away to start with empty databases.',
  ],
  [
    /EACCES|EPERM|Permission denied|Operation not permitted/,
    'Make sure that the folder belongs to the user who starts the program, or start it in another working directory.',
  ],
  [
    /EROFS|Read-only file system/,
    'The folder cannot be written to: start the program in another working directory.',
  ],
];

/** What failed, PostgreSQL's last output, and what to do. */
export function explained(what: string, output: string, cause?: unknown): EmbeddedPostgresError {
  const lines = output.trimEnd().split('\n').slice(-15).join('\n');
  const hint = advice.find(([symptom]) => symptom.test(output))?.[1];
  return new EmbeddedPostgresError(
    [what, lines, hint].filter(Boolean).join('\n'),
    cause === undefined ? {} : { cause },
  );
}

/** The same for an error of the file system or the network. */
export function explainedError(what: string, error: unknown): Error {
  if (error instanceof EmbeddedPostgresError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return explained(what, message, error);
}
