import { reasonOf } from '../../domain/policies/reason-of.js';

/** Servers refuse connections without TLS, and Node refuses certificates that it does not trust. */
const ABOUT_TLS = /no encryption|insecure transport|certificate/;

export function unreachable(variable: string): string {
  return `check that the server runs and accepts connections from here, and that ${variable} is correct`;
}

export function useTls(variable: string): string {
  return `let ${variable} end with ?sslmode=verify-full&sslrootcert=, and the path of the certificate of the server's authority (mysql://: see docs/dashboards.md)`;
}

export function adviceOnConnection(variable: string): (error: unknown) => string {
  return (error) => (ABOUT_TLS.test(reasonOf(error)) ? useTls(variable) : unreachable(variable));
}
