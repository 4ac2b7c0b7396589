import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built-in templates stand: beside this file in the source, in `templates/` beside the bundle once built. */
export function templatesFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(here, 'bugfix.md')) ? here : join(here, 'templates');
}
