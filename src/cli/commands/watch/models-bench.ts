import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import type { Caller } from '../../../access/caller.ts';
import { durationText, moneyText } from '../../../core/view/amounts.ts';
import { type BenchItem, BenchKind, type BenchResult } from '../../../schema/model.ts';
import { addDir, addHelp, addJson, CommonOptions, collect, whenCalled } from '../../command.ts';
import { INTERRUPTED } from '../../exit-code.ts';
import { followRun } from '../../follow/follow-run.ts';
import { conclude } from '../../follow/work.ts';
import type { Platform, Session } from '../../platform.ts';
import { parseUsd } from '../../render/amounts.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';

const Flags = CommonOptions.extend({
  agent: z.array(z.string()).default([]),
  kind: z.array(BenchKind).default([]),
  budget: z.number().optional(),
  execute: z.boolean().default(false),
});
type Flags = z.infer<typeof Flags>;

const EXAMPLES = [
  'manyhands models bench',
  'manyhands models bench --agent codex --agent claude:opus --kind code --kind review --execute',
  'manyhands models bench --budget 3 --execute --json',
];

const EXIT = `Exit codes:
  0    success
  1    a benchmark could not be judged
  2    invalid command line
  3    the command failed; the message states the reason
  130  interrupted; manyhands resume <run> continues`;

const PLANNED = [
  { title: 'AGENT' },
  { title: 'MODEL' },
  { title: 'KIND' },
  { title: 'ESTIMATE', right: true },
  { title: 'AT MOST', right: true },
  { title: 'TASK' },
];
const ENDED = [
  { title: 'AGENT' },
  { title: 'MODEL' },
  { title: 'KIND' },
  { title: 'VERDICT' },
  { title: 'COST', right: true },
  { title: 'TIME', right: true },
  { title: 'REASON' },
];

/** Measures agents with small tasks that a program judges; without --execute it only shows what it would run. */
export function addBench(models: Command, session: Session): void {
  const command = models
    .command('bench')
    .description('measure agents with small tasks; without --execute, show what would run')
    .option('-a, --agent <agent>', 'an agent, agent:model or command:<program>; repeatable', collect)
    .addOption(new Option('-k, --kind <kind>', `${BenchKind.options.join(', ')}; repeatable`).argParser(collectKind))
    .option('--budget <usd>', 'maximum total cost in US dollars', parseUsd)
    .option('--execute', 'run it, which costs money');
  addHelp(addDir(addJson(command)), EXAMPLES, EXIT);
  whenCalled(command, session, { options: Flags, act: (flags) => bench(session, flags) });
}

function collectKind(value: string, before: BenchKind[] | undefined): BenchKind[] {
  const kind = BenchKind.safeParse(value);
  if (kind.success) return [...(before ?? []), kind.data];
  throw new InvalidArgumentError(`Use one of ${BenchKind.options.join(', ')}.`);
}

async function bench(session: Session, flags: Flags): Promise<number> {
  const { terminal, openCaller } = session.platform;
  const dir = await resolveDir(terminal, flags.dir);
  const { agent: agents, kind: kinds, budget } = flags;
  const request = { dir, agents, kinds, ...(budget === undefined ? {} : { budget }) };
  await using caller = await openCaller(terminal.env);
  if (!flags.execute) {
    const items = await caller.call('plan-bench', request);
    if (flags.json) printJson(terminal, items);
    else printPlan(session.platform, items);
    return 0;
  }
  const items = await caller.call('start-bench', request);
  const runs = items.flatMap(({ run }) => (run === null ? [] : [run]));
  const isDone = await followAll(session.platform, caller, { dir, runs });
  const results = await caller.call('list-benches', { runs });
  if (flags.json) printJson(terminal, { items, results });
  else printResults(session.platform, items, results);
  if (!isDone) return INTERRUPTED;
  return results.length < runs.length || results.some(({ verdict }) => verdict === 'error') ? 1 : 0;
}

/** Follows the runs one after another while all of them are in flight; one that waits for the user already has its verdict. */
async function followAll(
  platform: Platform,
  caller: Caller,
  { dir, runs }: { dir: string; runs: readonly string[] },
): Promise<boolean> {
  const since = platform.world.now();
  for (const run of runs) {
    const followed = await followRun({ platform, caller, dir, run, since, takesOver: true });
    if (followed.kind === 'interrupted') {
      conclude(platform, run, followed);
      return false;
    }
    if (followed.document.endedAt !== null) continue;
    await caller.call('cancel-run', {
      dir,
      run,
      reason: followed.document.reason ?? 'a benchmark does not wait for the user',
    });
    await followRun({ platform, caller, dir, run, since: platform.world.now(), takesOver: true });
  }
  return true;
}

function printPlan({ terminal }: Platform, items: readonly BenchItem[]): void {
  const rows = items.map(({ agent, model, kind, estimate, most, reason, task }) => [
    agent,
    model ?? '-',
    kind,
    reason === null ? (estimate === null ? 'unknown' : `~${moneyText(estimate)}`) : '-',
    reason === null ? moneyText(most) : '-',
    reason ?? task,
  ]);
  const [head, ...lines] = tableLines(PLANNED, rows, Number.MAX_SAFE_INTEGER);
  printLines(terminal, [painter(terminal.colors.out).dim(head ?? ''), ...lines]);
  const runnable = items.filter(({ runs }) => runs);
  const most = runnable.reduce((sum, item) => sum + item.most, 0);
  terminal.err(
    runnable.length === 0
      ? 'None of these benchmarks can run here.\n'
      : `Nothing was started. Run ${runnable.length === 1 ? 'this benchmark' : `these ${runnable.length} benchmarks`} with --execute, for at most ${moneyText(most)}.\n`,
  );
}

function printResults({ terminal }: Platform, items: readonly BenchItem[], results: readonly BenchResult[]): void {
  const rows = items.map(({ agent, model, kind, run, reason }) => {
    const result = results.find((entry) => entry.run === run);
    if (result === undefined)
      return [agent, model ?? '-', kind, run === null ? 'not run' : 'open', '-', '-', reason ?? ''];
    const { verdict, costUsd, durationMs } = result;
    return [
      agent,
      result.model ?? '-',
      kind,
      verdict,
      moneyText(costUsd),
      durationText(durationMs),
      firstLine(result.reason),
    ];
  });
  const [head, ...lines] = tableLines(ENDED, rows, Number.MAX_SAFE_INTEGER);
  printLines(terminal, [painter(terminal.colors.out).dim(head ?? ''), ...lines]);
}

function firstLine(text: string): string {
  return cleanText(text.split('\n')[0] ?? '');
}
