import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createPlatform } from './cli/create-platform.ts';
import { runProgram } from './cli/program.ts';
import { followLauncher } from './process/launcher-link.ts';

const Package = z.object({ version: z.string() });
const { version } = Package.parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

followLauncher();
process.exitCode = await runProgram(process.argv.slice(2), createPlatform(version));
