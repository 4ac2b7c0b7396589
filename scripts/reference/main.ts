import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { referencePages } from './pages.ts';

const root = process.cwd();
for (const { path, text } of await referencePages(root)) await writeFile(join(root, path), text);
