import { createHash } from 'node:crypto';
import type { Answer } from '../../domain/model/answer.js';
import { bodyForms } from './body-forms.js';

/** The finished answer. Its ETag is weak, because one tag names the plain and the compressed forms. */
export async function renderAnswer(content: object): Promise<Answer> {
  const forms = await bodyForms(content);
  const digest = createHash('sha256').update(forms.body).digest('base64url');
  return { ...forms, etag: `W/"${digest.slice(0, 27)}"` };
}
