/** For whichever program comes first on a machine. */
export const USUAL_ADMIN_PORT = 3001;
