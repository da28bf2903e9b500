import { hash } from 'node:crypto';
import type { Answer } from '../../domain/model/answer.js';
import { bodyForms } from './body-forms.js';

/** The finished answer. Its ETag is weak, because one tag names the plain and the compressed forms. */
export async function renderAnswer(content: object): Promise<Answer> {
  const forms = await bodyForms(content);
  const digest = hash('sha256', forms.body, 'base64url');
  return { ...forms, etag: `W/"${digest.slice(0, 27)}"` };
}
