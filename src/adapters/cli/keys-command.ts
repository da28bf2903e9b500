import type { KeyManager, ListedKey } from '../../domain/ports/dashboard/key-manager.js';
import type { KeysCommand } from './command-line.js';

const IF_STILL_ACCEPTED =
  'If it is still accepted, see "A revoked key still works" in docs/operations/keys.md.';

export async function runKeysCommand(
  command: KeysCommand,
  keyManager: KeyManager,
  print: (text: string) => void,
): Promise<void> {
  switch (command.name) {
    case 'keys create': {
      const { id, key } = await keyManager.create(command.organizationId, command.keyName, command.expiresAt);
      print(
        command.json
          ? JSON.stringify({ id, key })
          : `id   ${id}\nkey  ${key}\n\nThe key is shown only once: store it now. ${validityNote(command.expiresAt)}`,
      );
      return;
    }
    case 'keys list': {
      const keys = await keyManager.list(command.organizationId);
      if (command.json) print(JSON.stringify(keys));
      else print(keys.length === 0 ? 'No keys.' : keys.map(describe).join('\n'));
      return;
    }
    case 'keys revoke':
      await keyManager.revoke(command.id);
      print(
        `Revoked ${command.id}. It is refused a moment later, if the sync worker runs. ${IF_STILL_ACCEPTED}`,
      );
  }
}

/** A readable table: one line for each organization, with its key. */
export function keyTable(keys: readonly { readonly organization: string; readonly key: string }[]): string {
  const width = Math.max(...keys.map(({ organization }) => organization.length));
  return keys.map(({ organization, key }) => `  ${organization.padEnd(width)}  ${key}`).join('\n');
}

function validityNote(expiresAt: Date | null): string {
  return expiresAt !== null && expiresAt <= new Date()
    ? `It does not work: it expired ${formatTime(expiresAt)}.`
    : 'It works a moment later, if the sync worker runs.';
}

function describe({ id, name, prefix, createdAt, expiresAt, revokedAt }: ListedKey): string {
  const state =
    revokedAt !== null
      ? `revoked ${formatTime(revokedAt)}`
      : expiresAt !== null
        ? `expires ${formatTime(expiresAt)}`
        : 'does not expire';
  return [id, `${prefix}…`, `created ${formatTime(createdAt)}`, state, name].join('  ').trimEnd();
}

/** PostgreSQL returns `infinity` as a number, not as a date. */
function formatTime(time: Date | number): string {
  return time instanceof Date ? time.toISOString() : 'at no time';
}
