import type { Locator, Page } from 'playwright-core';

/** Moves the focus as a keyboard does, and fails where the target cannot be reached. */
export async function focusByTab(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let presses = 0; presses < 150; presses += 1) {
    if (await isFocused()) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The keyboard does not reach it');
}
