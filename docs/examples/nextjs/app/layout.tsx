import type { Metadata } from 'next';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { setting } from '../lib/settings';
import './style.css';

export const metadata: Metadata = {
  metadataBase: new URL(setting('SITE_ORIGIN')),
  title: { default: 'Halfbright Notes', template: '%s · Halfbright Notes' },
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <header>
          <Link href="/">Halfbright Notes</Link>
        </header>
        <main>{children}</main>
      </body>
    </html>
  );
}
