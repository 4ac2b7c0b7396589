import { installProgram, isEveryProgramRequired, skipLine } from './install.ts';
import { PROGRAM_NAMES } from './programs.ts';

/** Installs the real programs before the tests (those named, else all), and says loudly which could not be. */
const wanted = process.argv.slice(2);
for (const name of PROGRAM_NAMES.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  const installed = await installProgram(name);
  if ('path' in installed) continue;
  process.stderr.write(`${skipLine(name, installed.missing)}\n`);
  if (isEveryProgramRequired()) process.exitCode = 1;
}
