import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './steps/checkout.mjs';
import { PROMPTS_FILE, promptsModule } from './steps/prompts.mjs';

/** Writes the module of prompt texts from the Markdown files. */
writeFileSync(join(ROOT, PROMPTS_FILE), promptsModule());
