import { messageOf } from '../errors.ts';
import type { DoctorLine } from '../operations/maintenance/doctor/doctor-line.ts';
import { followRun } from './follow/follow-run.ts';
import type { Platform } from './platform.ts';
import { durationText } from './render/amounts.ts';

const GOAL = 'Rehearse: add a note about this repository';

/** Runs a rehearsed goal from plan to landing, in a repository and a data directory of its own. */
export async function selfTest(platform: Platform): Promise<DoctorLine> {
  const startedAt = platform.world.now();
  const outcome = await rehearse(platform).catch((error: unknown) => `error: ${messageOf(error)}`);
  const took = durationText(platform.world.now() - startedAt);
  return {
    name: 'self-test',
    ok: outcome === 'done',
    required: true,
    detail:
      outcome === 'done'
        ? `a rehearsed goal was planned, done, checked and landed in ${took}`
        : `after ${took}: ${outcome}`,
    fix:
      outcome === 'done' ? null : 'Fix the lines above that are not ok, then run manyhands doctor --self-test again.',
  };
}

async function rehearse(platform: Platform): Promise<string> {
  const since = platform.world.now();
  await using repository = await platform.makeScratchRepository();
  const { dir, home } = repository;
  await using caller = await platform.openCaller({ ...platform.terminal.env, MANYHANDS_HOME: home });
  const options = { dir, rehearse: true, checks: ['git rev-parse HEAD'], title: 'Self-test' };
  const { run } = await caller.call('start-run', { recipe: 'goal', input: { goal: GOAL }, options });
  const followed = await followRun({ platform, caller, dir, run, since, takesOver: true });
  if (followed.kind === 'interrupted') return 'interrupted';
  const { status, reason } = followed.document;
  return status === 'done' ? 'done' : `${status}: ${reason ?? 'no reason recorded'}`;
}
