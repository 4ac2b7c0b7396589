import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { runProgram } from './cli/program.ts';
import { followLauncher } from './launcher-link.ts';
import { createPlatform } from './platform.ts';

const Package = z.object({ version: z.string() });
const { version } = Package.parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

followLauncher();
process.exitCode = await runProgram(process.argv.slice(2), createPlatform(version));
