import type { CommandGateSpec } from '../gate-kinds.ts';

/** For each runner, the arguments that make it name every test, and whether it accepts test files. */
const SELECTIONS: Readonly<Record<string, { args: readonly string[]; acceptsFiles: boolean }>> = {
  'node:test': { args: [], acceptsFiles: true },
  vitest: { args: ['--reporter=verbose'], acceptsFiles: true },
  jest: { args: ['--verbose'], acceptsFiles: true },
  mocha: { args: [], acceptsFiles: true },
  pytest: { args: ['-v'], acceptsFiles: true },
  unittest: { args: ['-v'], acceptsFiles: false },
  'go test': { args: ['-v'], acceptsFiles: false },
};
const OPERATORS = /[;&|<>`$\n(){}]/;
/** npm passes what follows `--` to the script; the others pass all arguments. */
const NPM = /^\s*npm\s+(?:t|test|run|run-script|exec)\b/;

/** The check restricted to these test files and naming every test, where its only runner can do that; else the check itself. */
export function selectTests(
  gate: CommandGateSpec,
  runners: readonly string[],
  files: readonly string[],
): CommandGateSpec {
  const selection = runners.length === 1 ? SELECTIONS[runners[0] ?? ''] : undefined;
  if (selection === undefined) return gate;
  const args = [...selection.args, ...(selection.acceptsFiles ? files.map((file) => `./${file}`) : [])];
  if (args.length === 0) return gate;
  if (typeof gate.run !== 'string') return { ...gate, run: [...gate.run, ...separator(gate.run.join(' ')), ...args] };
  if (OPERATORS.test(gate.run)) return gate;
  return { ...gate, run: [gate.run, ...separator(gate.run), ...args.map(quoted)].join(' ') };
}

function separator(command: string): string[] {
  return NPM.test(command) && !/\s--(\s|$)/.test(command) ? ['--'] : [];
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}
