import type { BrowserContext, Page } from 'playwright-core';
import { makeScratch, type Scratch, type ScratchOptions } from '../../support/scratch.ts';
import { serveDashboard } from './served.ts';

/** A person's repository, and the real server that shows it. */
export interface ScratchServer extends AsyncDisposable {
  readonly scratch: Scratch;
  readonly url: string;
  readonly pid: number;
  /** A new address that signs a browser in, once. */
  link(): Promise<string>;
  /** Logs a browser in, as the link that `serve` prints does, and shows the first page. */
  enter(context: BrowserContext): Promise<Page>;
}

/** Serves a new repository in the background; disposing ends the server and removes it all. */
export async function serveScratch(options: ScratchOptions): Promise<ScratchServer> {
  const scratch = await makeScratch(options);
  const { url, pid, link } = await serveDashboard(scratch, 0);
  return {
    scratch,
    url,
    pid,
    link,
    enter: async (context) => {
      const page = await context.newPage();
      await page.goto(await link());
      await page.waitForURL(`${url}/`);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      return page;
    },
    [Symbol.asyncDispose]: async () => {
      await scratch.mh(['stop']);
      await scratch[Symbol.asyncDispose]();
    },
  };
}
