import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const Found = z.object({
  violations: z.array(
    z.object({ id: z.string(), impact: z.string().nullish(), nodes: z.array(z.object({ html: z.string() })) }),
  ),
});
/** The check of accessibility, without which the page knows nothing of it; with the least size of targets, 24 px. */
const CHECK = `${axe.source}; axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`;

/** What of a page is a serious barrier, or wider than its screen. */
export async function findBarriers(page: Page, path: string): Promise<string[]> {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null);
  const { violations } = Found.parse(await page.evaluate(CHECK));
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const found = grave.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0]?.html}`);
  const [used, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth] as const);
  return used > screen ? [...found, `${path}: ${used} pixels wide`] : found;
}
