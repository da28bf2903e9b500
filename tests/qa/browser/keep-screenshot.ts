import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** Saves a picture in the folder that `SCREENSHOTS` names, for a person to look at; without the variable, none. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS } = process.env;
  if (SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
