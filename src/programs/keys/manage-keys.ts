import type { KeysCommand } from '../../adapters/cli/command-line.js';
import { runKeysCommand } from '../../adapters/cli/keys-command.js';
import { type DashboardSettings, dashboardOf } from '../../composition/dashboard-of.js';

export function manageKeys(
  command: KeysCommand,
  settings: DashboardSettings,
  print: (text: string) => void,
): Promise<void> {
  return dashboardOf(settings).withKeys((keyManager) => runKeysCommand(command, keyManager, print));
}
