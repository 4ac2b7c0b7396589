import { installProgram, isEveryProgramRequired, skipLine } from './install.ts';
import { PROGRAM_NAMES } from './programs.ts';

/** Installs every real program before the tests, one after another, and says loudly which could not be. */
for (const name of PROGRAM_NAMES) {
  const installed = await installProgram(name);
  if ('path' in installed) continue;
  process.stderr.write(`${skipLine(name, installed.missing)}\n`);
  if (isEveryProgramRequired()) process.exitCode = 1;
}
