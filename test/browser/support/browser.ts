import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { unpackedBrowser } from '../../support/unpacked-browser.ts';

/** No sandbox within the sandbox of a test, no graphics, nobody to call; the web's own protections stay on. */
const HEADLESS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--no-proxy-server'];
const COMPRESSED = fileURLToPath(new URL('../../../node_modules/@sparticuz/chromium/bin/chromium.br', import.meta.url));

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** A real browser without a window. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpackedBrowser(COMPRESSED), args: HEADLESS });
}

/** What a page complained about: errors of its scripts, what its policy forbade, requests that failed. */
export function validationIssuesOf(page: Page): string[] {
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') heard.push(message.text());
  });
  return heard;
}
