/** The first program on a machine uses it. */
export const USUAL_ADMIN_PORT = 3001;
