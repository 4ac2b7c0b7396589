import { writeFile } from 'node:fs/promises';
import { realWorld } from '../../src/world.ts';
import { installProgram, isEveryProgramRequired, skipLine } from './install.ts';
import { PROGRAM_NAMES, PROGRAMS } from './programs.ts';

const REPORT = 'MANYHANDS_AGENTS_REPORT';
const ALL_MS = 600_000;

/**
 * Installs the real programs before the tests (those named, else all) within ten minutes, and says loudly which could
 * not be; the report is a list of them for whoever runs the tests.
 */
const selected = process.argv.slice(2);
const deadline = realWorld.now() + ALL_MS;
const missing: string[] = [];
for (const name of PROGRAM_NAMES.filter((each) => selected.length === 0 || selected.includes(each))) {
  const installed = await installProgram(name, deadline - realWorld.now());
  if ('path' in installed) continue;
  process.stderr.write(`${skipLine(name, installed.missing)}\n`);
  missing.push(`${name} ${PROGRAMS[name].version}: ${installed.missing}`);
}
if (process.env[REPORT]) await writeFile(process.env[REPORT], JSON.stringify(missing));
if (missing.length > 0 && isEveryProgramRequired()) process.exitCode = 1;
