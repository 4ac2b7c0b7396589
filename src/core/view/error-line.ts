import type { Evidence } from '../../schema/gate.ts';

/** Lines that name an error, the most telling first. */
const NAMES: readonly RegExp[] = [
  /^(?:\[?\w+\]? )?(?:Uncaught )?(?:[A-Z]\w*)?(?:Error|Exception|Failure)\b.*:\s*\S/,
  /\berror(?: TS\d+|\[\w+\])?:\s*\S/i,
  /^(?:fatal|panic|FATAL|PANIC)\b.*:\s*\S/,
  /^(?:✖|✗|×|not ok\b|FAIL\b|FAILED\b|--- FAIL)/,
  /\b(?:command not found|No such file or directory|Permission denied|Cannot find)\b/i,
];
const MAX_CHARACTERS = 200;

/** The line of a failed check's output that names the error, or the last line that says anything; undefined without output. */
export function errorLine({ output = '', tests }: Pick<Evidence, 'output' | 'tests'>): string | undefined {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /\p{L}/u.test(line));
  for (const name of NAMES) {
    const found = lines.find((line) => name.test(line));
    if (found !== undefined) return shorten(found);
  }
  const [failed] = tests?.failures ?? [];
  const last = failed === undefined ? lines.at(-1) : `failed: ${failed}`;
  return last === undefined ? undefined : shorten(last);
}

function shorten(line: string): string {
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS - 1)}…`;
}
