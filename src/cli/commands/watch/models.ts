import { z } from 'zod';
import type { AgentPick, AgentStatus } from '../../../schema/document.ts';
import { addDir, addHelp, addJson, type CliCommand, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import { moneyText } from '../../render/amounts.ts';
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

type Standing = Pick<AgentStatus, 'ok' | 'detail' | 'nextStep' | 'restsUntil' | 'accounts' | 'resting'>;

const COLUMNS = [
  { title: 'AGENT' },
  { title: 'KIND' },
  { title: 'LIGHT' },
  { title: 'STANDARD' },
  { title: 'HEAVY' },
  { title: 'LANDED', right: true },
  { title: 'COST', right: true },
  { title: 'STANDING' },
];

/** Lists agents and models, says which one a role would get, and measures them. */
export const modelsCommand: CliCommand = {
  name: 'models',
  group: 'Watch',
  summary: 'list agents and models, who would be picked, how good they are',
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
    const pick = command.command('pick').description('say which agent and model a role would get now, and why');
    pick.requiredOption('--role <role>', 'the role').option('--agent <agent...>', 'as with do and job');
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
  const rows = agents.map(({ agent, kind, models, quality, ...standing }) => [
    agent,
    kind,
    models.light ?? '-',
    models.standard ?? '-',
    models.heavy ?? '-',
    `${quality.landed}/${quality.attempts}`,
    moneyText(quality.cost),
    standingText(standing),
  ]);
  const [head, ...table] = tableLines(COLUMNS, rows, Number.MAX_SAFE_INTEGER);
  return [colors.dim(head ?? ''), ...table];
}

/** What CC Switch has to offer, and what is amiss with its file: said once, whichever agents it is about. */
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
  if (unused.length > 0) notes.add(`Profiles of CC Switch that are not used: ${unused.join(', ')}`);
  if (agents.some(({ ccswitch: { on, profiles } }) => !on && profiles.some(({ account }) => account !== null)))
    notes.add('To use them as more logins: manyhands config set routing.ccswitch auto');
  return [...notes];
}

function standingText({ ok, detail, nextStep, restsUntil, accounts, resting }: Standing): string {
  const logins = accounts.map(({ name, restsUntil: until }) =>
    until === null ? name : `${name} (rests until ${until})`,
  );
  const who = logins.length === 0 ? '' : `; logins: ${logins.join(', ')}`;
  const closed = resting.map(({ account, family, until }) => {
    const of = account === null ? '' : ` of ${account}`;
    return `; ${family}${of} rests until ${until}`;
  });
  if (!ok) return `not usable: ${detail}${nextStep === null ? '' : ` → ${nextStep}`}`;
  return `${restsUntil === null ? 'ready' : `rests until ${restsUntil}`}: ${detail}${who}${closed.join('')}`;
}

function pickLines({ role, agent, account, tier, model, because, candidates }: AgentPick): string[] {
  const who = agent === null ? 'nobody now' : `${agent}${account === null ? '' : ` (login ${account})`}`;
  return [
    `${role}: ${who}, ${model ?? 'its own default model'} (${tier ?? 'standard'}): ${because}`,
    ...candidates.map((candidate) => `  ${candidate.ok ? '✓' : '✗'} ${candidate.agent}: ${candidateText(candidate)}`),
  ];
}

function candidateText({ detail, restsUntil, score, results, because }: AgentPick['candidates'][number]): string {
  const rest = restsUntil === null ? [] : [`rests until ${restsUntil}`];
  return [detail, ...rest, ...(results === 0 ? [] : [`score ${score.toFixed(2)} (${because})`])].join('; ');
}
