import { projectBlog } from '../../domain/sync/projection/project-blog.js'; // breach
import { step } from '../../domain/sync/step.js';

export const rebuild = () => [projectBlog(), step()];
