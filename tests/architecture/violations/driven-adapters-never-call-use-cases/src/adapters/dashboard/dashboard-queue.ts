import type { Row } from '../../domain/sync/projection.js'; // breach

export const rows: Row[] = [];
