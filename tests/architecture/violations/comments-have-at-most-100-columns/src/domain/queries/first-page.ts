import type { Page } from '../model/page.js';

// This one goes on and on, because nobody gave the thing a name, moved it to a function, or wrote an ADR. // breach
export const FIRST_PAGE: Page = { limit: 20 };
