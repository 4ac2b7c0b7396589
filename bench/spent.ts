import { runTool, type ToolOptions } from './scratch.ts';

/** What a program and all that it waited for took. */
export type Spent = { output: string; wallMs: number; processorMs: number };

/** The shell's own report of its children follows what the program says on stderr. */
const WITH_TIMES = '"$@"; code=$?; echo "--times" >&2; times >&2; exit $code';
const TIME = /(\d+)m([\d.]+)s/g;

/** Runs a program to its end and tells how long it took by the clock, and how much processor time. */
export async function spentBy(command: readonly string[], cwd: string, options: ToolOptions): Promise<Spent> {
  const start = performance.now();
  let said = '';
  const output = await runTool(['sh', '-c', WITH_TIMES, 'sh', ...command], cwd, {
    ...options,
    onError: (text) => {
      said = text;
    },
  });
  const wallMs = performance.now() - start;
  const times = [...said.slice(said.lastIndexOf('--times')).matchAll(TIME)];
  const seconds = times.map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
  return { output, wallMs, processorMs: seconds.reduce((sum, value) => sum + value, 0) * 1000 };
}
