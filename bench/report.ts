import { cpus, loadavg } from 'node:os';
import type { Benchmark, Measurement } from './benchmark.ts';
import { fileSystemDescription } from './file-system.ts';

/** A printed measurement. */
export type Row = Measurement & { name: string; target: string; ok: boolean };

/** A measurement compared with its target. */
export function rowOf({ name, target }: Benchmark, measured: Measurement): Row {
  const ok = target.is === 'at most' ? measured.ratio <= target.ratio : measured.ratio >= target.ratio;
  const sign = target.is === 'at most' ? '<=' : '>=';
  const { value, unit, ceiling, ratio, note } = measured;
  return {
    name,
    value: rounded(value),
    unit,
    ceiling: rounded(ceiling),
    ratio: rounded(ratio),
    target: `${sign} ${target.ratio}`,
    ok,
    note,
  };
}

/** The rows as a text table. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.value} ${row.unit}`,
    `${row.ceiling} ${row.unit}`,
    String(row.ratio),
    row.target,
    row.ok ? 'yes' : 'NO',
  ]);
  const all = [['benchmark', 'value', 'ceiling', 'ratio', 'target', 'ok'], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
  const lines = all.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', ...rows.map((row) => `${row.name}: ${row.note}`)].join('\n');
}

/** The machine, on which the figures depend. */
export function machineDescription(): string {
  const load = loadavg().map((value) => value.toFixed(1));
  return `${cpus().length} cores, Node ${process.versions.node}, load average ${load.join(' ')}, ${fileSystemDescription()}`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
