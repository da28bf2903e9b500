import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (file: string) => readFileSync(certificateAt(file), 'utf8');

export const PASSWORD = 'pass/word?with:signs@and#more';

/** Of a private authority. */
export function certificateAt(file: string): string {
  return fileURLToPath(new URL(`../network/tls/${file}`, import.meta.url));
}

/** Options of Redis servers with TLS and a password, and of the connections of tests to them. */
export function securedBy(certificate: string) {
  const pem = read(certificate);
  return {
    servers: {
      prepare: `printf '%s' '${pem}' > certificate.pem; printf '%s' '${read('key.pem')}' > key.pem`,
      settings: {
        requirepass: PASSWORD,
        masterauth: PASSWORD,
        'tls-cert-file': 'certificate.pem',
        'tls-key-file': 'key.pem',
        'tls-ca-cert-file': 'certificate.pem',
        'tls-auth-clients': 'no',
        'tls-replication': 'yes',
      },
      tls: true,
    },
    connection: { tls: { ca: pem }, password: PASSWORD },
  };
}
