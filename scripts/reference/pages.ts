import { apiPage } from './api-page.ts';
import { cliPage } from './cli-page.ts';
import { configPage } from './config-page.ts';
import { errorsPage } from './errors-page.ts';
import { eventsPage } from './events-page.ts';
import { failuresPage } from './failures-page.ts';
import { jsonPage } from './json-page.ts';
import type { Page } from './markdown.ts';
import { rolesPage } from './roles-page.ts';

/** Every page of the reference that is made from the program itself; `root` is the checkout. */
export async function referencePages(root: string): Promise<Page[]> {
  return [
    apiPage(),
    await cliPage(),
    configPage(),
    errorsPage(),
    eventsPage(),
    await failuresPage(root),
    jsonPage(),
    await rolesPage(),
  ];
}
