import { DomainError } from '../errors.js'; // breach
import type { KeyValidity } from '../policies/key-validity.js'; // breach
import type { Page } from './page.js';

export const refuse = (_validity: KeyValidity, _page: Page) => new DomainError();
