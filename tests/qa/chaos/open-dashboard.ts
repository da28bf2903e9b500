import type { DashboardDatabase } from './dashboard-database.js';
import { MariaDbDashboard } from './mariadb-dashboard.js';
import { PostgresDashboard } from './postgres-dashboard.js';

export async function openDashboard(url: string): Promise<DashboardDatabase> {
  return url.startsWith('mysql:') ? MariaDbDashboard.open(url) : new PostgresDashboard(url);
}
