import { z } from 'zod';
import { momentText, moneyText, withLocalTimes } from '../../../core/view/amounts.ts';
import type { AgentPick, AgentStatus } from '../../../schema/document.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines, tableLines } from '../../render/output.ts';
import { painter } from '../../render/symbols.ts';
import { resolveDir } from '../../target.ts';
import { addBench } from './models-bench.ts';
import { addReport } from './models-report.ts';
import { addScores } from './models-scores.ts';

const PickFlags = CommonOptions.extend({ role: z.string(), agent: z.array(z.string()).default([]) });

const EXAMPLES = [
  'manyhands models',
  'manyhands models pick --role review',
  'manyhands models scores',
  'manyhands models bench --agent codex',
];

type Availability = Pick<AgentStatus, 'ok' | 'detail' | 'nextStep' | 'restsUntil' | 'accounts' | 'resting'>;

const COLUMNS = [
  { title: 'AGENT' },
  { title: 'KIND' },
  { title: 'LIGHT' },
  { title: 'STANDARD' },
  { title: 'HEAVY' },
  { title: 'LANDED', right: true },
  { title: 'COST', right: true },
  { title: 'STATUS' },
];

/** Lists agents and models, shows which one a role would get, and measures them. */
export const modelsCommand: CliCommand = {
  name: 'models',
  group: 'Watch',
  summary: 'list agents and models, their routing and their scores',
  define(command, session) {
    addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
    whenCalled(command, session, {
      options: CommonOptions,
      act: async (flags) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const agents = await caller.call('list-models', { dir });
        if (flags.json) printJson(terminal, agents);
        else printLines(terminal, lines(agents, painter(terminal.colors.out)));
        if (!flags.json) for (const note of notesOf(agents)) terminal.err(`note: ${cleanText(note)}\n`);
        return 0;
      },
    });
    addScores(command, session);
    addReport(command, session);
    addBench(command, session);
    const pick = command.command('pick').description('show which agent and model a role would get now, and why');
    pick.requiredOption('--role <role>', 'the role').option('--agent <agent...>', 'as for do and job');
    addHelp(addDir(addJson(pick)), EXAMPLES.slice(1, 2), READING_EXIT_CODES);
    whenCalled(pick, session, {
      options: PickFlags,
      act: async ({ role, agent, json, ...flags }) => {
        const { terminal, openCaller } = session.platform;
        const dir = await resolveDir(terminal, flags.dir);
        await using caller = await openCaller(terminal.env);
        const found = await caller.call('pick-model', { dir, role, agents: agent });
        if (json) printJson(terminal, found);
        else printLines(terminal, pickLines(found));
        return 0;
      },
    });
  },
};

function lines(agents: readonly AgentStatus[], colors: ReturnType<typeof painter>): string[] {
  const rows = agents.map(({ agent, kind, models, quality, ...availability }) => [
    agent,
    kind,
    models.light ?? '-',
    models.standard ?? '-',
    models.heavy ?? '-',
    `${quality.landed}/${quality.attempts}`,
    moneyText(quality.cost),
    statusText(availability),
  ]);
  const [head, ...table] = tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER);
  return [colors.dim(head ?? ''), ...table];
}

/** The unused profiles of CC Switch and the problems with its file, each once for all agents. */
function notesOf(agents: readonly AgentStatus[]): string[] {
  const notes = new Set(
    agents.flatMap(({ ccswitch }) => (ccswitch.note === null ? [] : [`CC Switch: ${ccswitch.note}`])),
  );
  const unused = agents.flatMap(({ agent, ccswitch: { on, profiles } }) =>
    profiles.flatMap(({ name, account, detail }) => {
      if (account === null) return [`${name} for ${agent} (cannot be used: ${detail})`];
      return on ? [] : [`${name} for ${agent}`];
    }),
  );
  if (unused.length > 0) notes.add(`Unused CC Switch profiles: ${unused.join(', ')}`);
  if (agents.some(({ ccswitch: { on, profiles } }) => !on && profiles.some(({ account }) => account !== null)))
    notes.add('To use them as additional logins: manyhands config set routing.ccswitch auto');
  return [...notes];
}

function statusText({ ok, detail, nextStep, restsUntil, accounts, resting }: Availability): string {
  const logins = accounts.map(({ name, restsUntil: until }) =>
    until === null ? name : `${name} (rate-limited until ${momentText(until)})`,
  );
  const who = logins.length === 0 ? '' : `; logins: ${logins.join(', ')}`;
  const limited = resting.map(({ account, family, until }) => {
    const of = account === null ? '' : ` of ${account}`;
    return `; ${family}${of} is rate-limited until ${momentText(until)}`;
  });
  if (!ok) return `not usable: ${detail}${nextStep === null ? '' : ` → ${nextStep}`}`;
  return `${restsUntil === null ? 'ready' : `rate-limited until ${momentText(restsUntil)}`}: ${detail}${who}${limited.join('')}`;
}

function pickLines({ role, agent, account, tier, model, because, candidates }: AgentPick): string[] {
  const who = agent === null ? 'none available' : `${agent}${account === null ? '' : ` (login ${account})`}`;
  return [
    `${role}: ${who}, ${model ?? 'default model'} (${tier ?? 'standard'}): ${withLocalTimes(because)}`,
    ...candidates.map((candidate) => `  ${candidate.ok ? '✓' : '✗'} ${candidate.agent}: ${candidateText(candidate)}`),
  ];
}

function candidateText({ detail, restsUntil, score, results, because }: AgentPick['candidates'][number]): string {
  const limit = restsUntil === null ? [] : [`rate-limited until ${momentText(restsUntil)}`];
  return [detail, ...limit, ...(results === 0 ? [] : [`score ${score.toFixed(2)} (${because})`])].join('; ');
}
