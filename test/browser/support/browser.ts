import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { unpackedBrowser } from '../../support/unpacked-browser.ts';

/** No sandbox inside a test sandbox, no GPU and no proxy; the protections of the web stay on. */
const HEADLESS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'];
const COMPRESSED = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium/bin/chromium.br', import.meta.url));

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** A real browser without a window. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpackedBrowser(COMPRESSED), args: HEADLESS });
}

/** Collects the errors of a page: script errors, policy violations and failed requests. */
export function collectConsoleErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}
