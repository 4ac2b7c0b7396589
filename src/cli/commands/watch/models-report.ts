import type { Command } from 'commander';
import { momentText, moneyText, withLocalTimes } from '../../../core/view/amounts.ts';
import type { AgentStatus } from '../../../schema/document.ts';
import type { ModelScore, RoutePlan } from '../../../schema/model.ts';
import { addDir, addHelp, addJson, CommonOptions, whenCalled } from '../../command.ts';
import { READING_EXIT_CODES } from '../../exit-code.ts';
import type { Session } from '../../platform.ts';
import { cleanText } from '../../render/clean-text.ts';
import { printJson, printLines } from '../../render/output.ts';
import { resolveDir } from '../../target.ts';

type Report = { agents: AgentStatus[]; routes: RoutePlan[]; scores: ModelScore[] };

const EXAMPLES = ['manyhands models report > models.md', 'manyhands models report --json'];

/** Writes agents, logins, rate limits, scores and the routing of every role as one Markdown page. */
export function addReport(models: Command, session: Session): void {
  const command = models.command('report').description('agents, scores and the agent of each role, as Markdown');
  addHelp(addDir(addJson(command)), EXAMPLES, READING_EXIT_CODES);
  whenCalled(command, session, {
    options: CommonOptions,
    act: async ({ json, ...flags }) => {
      const { terminal, openCaller } = session.platform;
      const dir = await resolveDir(terminal, flags.dir);
      await using caller = await openCaller(terminal.env);
      const report: Report = {
        agents: await caller.call('list-models', { dir }),
        routes: await caller.call('plan-routes', { dir }),
        scores: await caller.call('score-models', { dir }),
      };
      if (json) printJson(terminal, report);
      else printLines(terminal, reportLines(report));
      return 0;
    },
  });
}

/** The report as lines of Markdown. */
function reportLines({ agents, routes, scores }: Report): string[] {
  return [
    '# Models',
    '',
    '## Agents',
    '',
    ...table(
      ['agent', 'kind', 'light', 'standard', 'heavy', 'logins', 'status'],
      agents.map((agent) => [
        agent.agent,
        agent.kind,
        agent.models.light ?? '',
        agent.models.standard ?? '',
        agent.models.heavy ?? '',
        agent.accounts.map(({ name, restsUntil }) => withLimit(name, restsUntil)).join(', '),
        statusOf(agent),
      ]),
    ),
    '',
    '## Agent of each role',
    '',
    ...table(
      ['role', 'agent', 'login', 'model', 'reason', 'order'],
      routes.map(({ role, agent, account, model, because, order }) => [
        role,
        agent ?? 'none available',
        account ?? '',
        model ?? '',
        withLocalTimes(because),
        order.join(', '),
      ]),
    ),
    '',
    '## Scores',
    '',
    ...(scores.length === 0
      ? ['No verified results yet.']
      : table(
          ['role', 'agent', 'model', 'score', 'results', 'cost', 'based on'],
          scores.map(({ role, agent, model, score, results, cost, because, counts }) => [
            role,
            agent,
            model ?? '',
            score.toFixed(2),
            String(results),
            moneyText(cost),
            counts ? because : `${because}; too few for routing`,
          ]),
        )),
  ];
}

function statusOf({ ok, detail, restsUntil, resting }: AgentStatus): string {
  const limited = resting.map(({ account, family, until }) =>
    withLimit(account === null ? family : `${family} (${account})`, until),
  );
  return [
    ok ? 'ready' : `not usable: ${detail}`,
    ...(restsUntil === null ? [] : [withLimit('the agent', restsUntil)]),
    ...limited,
  ].join('; ');
}

function withLimit(name: string, until: string | null): string {
  return until === null ? name : `${name} is rate-limited until ${momentText(until)}`;
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)];
}

function cell(text: string): string {
  return cleanText(text).replaceAll('\n', ' ').replaceAll('|', '\\|');
}
