import type { Benchmark } from './benchmark.ts';
import { makeScratch } from './scratch.ts';
import { byManyhands, withSetup } from './tasks.ts';
import { alternate, listed, median } from './timing.ts';

const WHOLE = { tasks: 100, rounds: 5 };
const QUICK = { tasks: 30, rounds: 3 };
/** What the sandbox may cost in processor time for each task. */
const LIMIT_MS = 30;

/** The cost of the sandbox, with its network, on top of a task without one. */
export const sandbox: Benchmark = {
  name: 'sandbox',
  summary: `a run of ${WHOLE.tasks} no-op tasks in the sandbox, against the same without it`,
  target: { is: 'at most', ratio: 1.25 },
  async measure(isQuick) {
    const size = isQuick ? QUICK : WHOLE;
    await using scratch = await makeScratch();
    const processor = { inside: [] as number[], outside: [] as number[] };
    const measured = (where: keyof typeof processor) => async () => {
      const sandbox = where === 'inside' ? 'require' : 'off';
      const { wallMs, processorMs } = await withSetup(scratch, { ...size, sandbox }, byManyhands);
      processor[where].push(processorMs / size.tasks);
      return wallMs / size.tasks;
    };
    const times = await alternate(size.rounds, measured('inside'), measured('outside'));
    const added = median(processor.inside) - median(processor.outside);
    const note = [
      `${isQuick ? 'quick, so only a hint: ' : ''}${size.tasks} tasks`,
      `rounds in ms a task: ${listed(times.ours)} against ${listed(times.ceiling)}, ratios ${listed(times.ratios, 2)}`,
      `processor time in ms a task: ${listed([median(processor.inside)], 1)} against ${listed([median(processor.outside)], 1)}, ${added.toFixed(1)} more (at most ${LIMIT_MS}: ${added <= LIMIT_MS ? 'yes' : 'NO'})`,
    ].join('; ');
    return { value: median(times.ours), unit: 'ms a task', ceiling: median(times.ceiling), ratio: times.ratio, note };
  },
};
