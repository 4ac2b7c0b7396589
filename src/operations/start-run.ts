import { AppError } from '../errors.ts';
import { completeId, completeKey, requireEngine } from './find-run.ts';
import type { Operation } from './operation.ts';
import type { Ports } from './ports.ts';

/** Starts a run; the runs and tasks it comes after are named whole. */
export const startRun: Operation<'start-run'> = async (ports, request) => {
  const engine = requireEngine(ports);
  if (request.options.land === 'pr') {
    throw new AppError(
      'INPUT_INVALID',
      'Pull requests are not supported yet; use --land branch and open one from mh/<run>',
    );
  }
  if (request.recipe !== 'job') return engine.start(request);
  const after = request.input.after.map((ref) => completeRef(ports, ref));
  return engine.start({ ...request, input: { ...request.input, after } });
};

function completeRef(ports: Ports, ref: string): string {
  const slash = ref.indexOf('/');
  if (slash < 0) return completeId(ports, ref);
  const run = completeId(ports, ref.slice(0, slash));
  return `${run}/${completeKey(ports.runs.state(run), ref.slice(slash + 1))}`;
}
