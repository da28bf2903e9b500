import type { Generations } from '../../domain/ports/generations.js';

// Does not declare that it implements the port, so it is not an adapter that can be checked.
export const generationOf: Generations['of'] = () => 0;
