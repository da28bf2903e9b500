import type { Admission } from '../../application/requests/admission.js'; // breach

export const tagsOf = (admission: Admission) => [admission];
