import { reasonOf } from '../../domain/policies/reason-of.js';

/** Servers refuse connections without TLS, and Node refuses certificates that it does not trust. */
const ABOUT_TLS = /no encryption|insecure transport|certificate/;

/** The server answers, and refuses the login. */
const REFUSED = /\b(28[0-9A-Z]{3}|3D000|ER_ACCESS_DENIED_ERROR|ER_BAD_DB_ERROR)\b/;

export function unreachable(variable: string): string {
  return `check that the server runs and accepts connections from here, and that ${variable} is correct`;
}

export function useTls(variable: string): string {
  return `let ${variable} end with ?sslmode=verify-full&sslrootcert=, and the path of the certificate of the server's authority (mysql://: see docs/dashboards.md)`;
}

export function adviceOnConnection(variable: string): (error: unknown) => string {
  return (error) => {
    const reason = reasonOf(error);
    if (ABOUT_TLS.test(reason)) return useTls(variable);
    return REFUSED.test(reason)
      ? `the server answers: correct the user, the password and the database in ${variable}`
      : unreachable(variable);
  };
}
