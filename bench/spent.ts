import { runTool, type ToolOptions } from './scratch.ts';

/** The time used by a program and its children. */
export type Spent = { output: string; wallMs: number; processorMs: number };

/** The shell's report of its children's times follows the program's stderr. */
const WITH_TIMES = '"$@"; code=$?; echo "--times" >&2; times >&2; exit $code';
const TIME = /(\d+)m([\d.]+)s/g;

/** Runs a program to its end and returns its wall time and processor time. */
export async function spentBy(command: readonly string[], cwd: string, options: ToolOptions): Promise<Spent> {
  const start = performance.now();
  let stderr = '';
  const output = await runTool(['sh', '-c', WITH_TIMES, 'sh', ...command], cwd, {
    ...options,
    onError: (text) => {
      stderr = text;
    },
  });
  const wallMs = performance.now() - start;
  const times = [...stderr.slice(stderr.lastIndexOf('--times')).matchAll(TIME)];
  const seconds = times.map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest));
  return { output, wallMs, processorMs: seconds.reduce((sum, value) => sum + value, 0) * 1000 };
}
