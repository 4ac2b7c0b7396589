import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the built-in roles stand: beside this file in the source, in `roles/` beside the bundle once built. */
export function rolesFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return existsSync(join(here, 'plan.md')) ? here : join(here, 'roles');
}
