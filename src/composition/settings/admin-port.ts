/** The first program on a machine uses it. */
export const DEFAULT_ADMIN_PORT = 3001;
