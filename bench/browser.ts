import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { unpackedBrowser } from '../test/support/unpacked-browser.ts';

const HEADLESS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'];
const COMPRESSED = join(process.cwd(), 'node_modules/@sparticuz/chromium/bin/chromium.br');

/** A real browser without a window. */
export async function openBrowser(): Promise<Browser> {
  const { chromium }: typeof import('playwright-core') = createRequire(join(process.cwd(), 'package.json'))(
    'playwright-core',
  );
  return chromium.launch({ executablePath: await unpackedBrowser(COMPRESSED), args: HEADLESS });
}
