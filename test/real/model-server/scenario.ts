import type { Fault, RecordedRequest, Reply, Script, Step } from './step.ts';

/** What is to be done with a request: go wrong, or answer; both begin with the answer that there would be. */
export interface Turn {
  reply: Reply;
  fault?: Fault;
  delayMs: number;
}

/** One script under way. */
export interface Scenario {
  next(request: RecordedRequest): Promise<Turn>;
  /** The answer to a request that is no part of the work; it uses up no step. */
  aside(request: RecordedRequest, say: string): Turn;
}

const USAGE = { in: 100, out: 20, cacheRead: 0, cacheWrite: 0, reasoning: 0 } as const;
const LAST: Step = { say: 'Done' };

/** Plays a script: a step per answer, the same step again while it goes wrong, and "Done" after the last. */
export function performScenario(name: string, script: Script): Scenario {
  const failed = new Map<Fault, number>();
  let at = 0;
  let answers = 0;
  const isOver = ({ fault }: Step) => fault !== undefined && (failed.get(fault) ?? 0) >= (fault.times ?? Infinity);
  const hasAnswer = ({ think, say, call }: Step) => think !== undefined || say !== undefined || call !== undefined;

  /** Without waiting where the script is a list, so that steps are taken in the order of the requests. */
  function choose(request: RecordedRequest): Step | Promise<Step> {
    if (typeof script === 'function') return script(request);
    for (;;) {
      const step = script[at] ?? LAST;
      if (!isOver(step) || hasAnswer(step)) return step;
      at += 1;
    }
  }

  return {
    async next(request) {
      const chosen = choose(request);
      const step = chosen instanceof Promise ? await chosen : chosen;
      answers += 1;
      const turn = { reply: toReply(step, request, `${name}_${answers}`), delayMs: step.delayMs ?? 0 };
      if (step.fault !== undefined && !isOver(step)) {
        failed.set(step.fault, (failed.get(step.fault) ?? 0) + 1);
        return { ...turn, fault: step.fault };
      }
      at += 1;
      return turn;
    },
    aside(request, say) {
      answers += 1;
      return { reply: toReply({ say }, request, `${name}_${answers}`), delayMs: 0 };
    },
  };
}

function toReply(step: Step, { model }: RecordedRequest, id: string): Reply {
  const calls = (step.call ?? []).map((call, at) => ({ ...call, id: `${id}_${at}` }));
  return {
    id,
    model: step.model ?? model,
    think: step.think ?? '',
    say: step.say ?? '',
    calls,
    usage: { ...USAGE, ...step.usage },
    stop: step.stop ?? (calls.length > 0 ? 'tools' : 'end'),
  };
}
