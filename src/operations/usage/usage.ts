import type { Ports } from '../../app/port-interfaces.ts';
import { type Charged, chargesOf, summarizeCharges } from '../../core/view/usage.ts';
import type { Operation } from '../operation.ts';

type Known = Map<string, { version: number; charges: Charged[] }>;

/** What was charged to runs, by the process that reads them; a run is folded for it once for each of its versions. */
const known = new WeakMap<Ports, Known>();

/** Tells what the runs of one project, or of all, have consumed; runs that say nothing about the days asked for are not looked at. */
export const usage: Operation<'usage'> = async (ports, { dir, project, by, ...days }) => {
  const wanted = dir === undefined ? project : (await ports.work.project(dir)).id;
  const runs = ports.overviews.all().filter(({ projectId, startedAt, updatedAt }) => {
    const isWithin = updatedAt.slice(0, 10) >= (days.since ?? '') && startedAt.slice(0, 10) <= (days.until ?? '9999');
    return (wanted === undefined || projectId === wanted) && isWithin;
  });
  return summarizeCharges(
    runs.flatMap(({ run, version }) => chargesTo(ports, run, version)),
    by,
    days,
  );
};

function chargesTo(ports: Ports, run: string, version: number): Charged[] {
  const kept: Known = known.get(ports) ?? new Map();
  known.set(ports, kept);
  const seen = kept.get(run);
  if (seen?.version === version) return seen.charges;
  const charges = chargesOf(ports.runs.state(run));
  kept.set(run, { version, charges });
  return charges;
}
