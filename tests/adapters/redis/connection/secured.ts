import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (file: string) => fileURLToPath(new URL(`../../../support/network/tls/${file}`, import.meta.url));

export const PASSWORD = 'pass/word?with:signs@and#more';
export const CERTIFICATE = at('certificate.pem');
export const PEM = readFileSync(CERTIFICATE, 'utf8');

/** A Redis with TLS and a password. */
export const SECURED = {
  prepare: `printf '%s' '${PEM}' > certificate.pem; printf '%s' '${readFileSync(at('key.pem'), 'utf8')}' > key.pem`,
  settings: {
    requirepass: PASSWORD,
    'tls-cert-file': 'certificate.pem',
    'tls-key-file': 'key.pem',
    'tls-auth-clients': 'no',
  },
  tls: true,
};
