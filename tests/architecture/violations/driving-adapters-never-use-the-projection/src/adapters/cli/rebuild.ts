import { step } from '../../application/sync/step.js';
import { projectBlog } from '../../domain/policies/projection.js'; // breach

export const rebuild = () => [projectBlog(), step()];
