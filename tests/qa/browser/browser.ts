import type { Browser } from 'playwright-core';
import { findProgram } from '../../support/find-program.js';
import { noteUse, skipWithout } from '../../support/run-notes.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The program that `CHROMIUM` names, otherwise the first on the PATH; null without either. */
async function findChromium(): Promise<string | null> {
  return process.env.CHROMIUM || findProgram(...NAMES);
}

/** Without a sandbox, which root cannot have: only for pages of this project. */
async function launchChromium(program: string): Promise<Browser> {
  // Every test run loads this file, but few open a browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
}

/** A browser that the tests of the surrounding `describe` share. Without one they are skipped, even with CI=true. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | null = null;

  before(async function () {
    const found = await findChromium();
    if (found === null) return skipWithout(this, 'Chromium (install it, or name the program in CHROMIUM)');
    noteUse('Chromium', found);
    browser = await launchChromium(found);
  });

  after(async () => {
    await browser?.close();
  });

  return () => {
    if (browser === null) throw new Error('The browser is there during tests only');
    return browser;
  };
}
