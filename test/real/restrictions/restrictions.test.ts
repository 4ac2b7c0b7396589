import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { acpAgent } from '../../../src/agents/acp/acp.ts';
import { scopeRefusals } from '../../../src/gates/scope/scope.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';
import type { CaseRunner } from '../matrix/case-runner.ts';
import { ROWS, type Row } from '../matrix/cases.ts';
import { RUNNERS } from '../matrix/rows.ts';
import { startModelServer } from '../model-server.ts';
import { makeSandbox, type Sandbox } from '../sandbox.ts';
import { describeWith } from '../with-programs.ts';
import { type RestrictionScenario, SCENARIOS, SCOPE, type ScenarioName } from './scenarios.ts';
import { RESTRICTIONS, restrictionText } from './table.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

const rows = Object.keys(ROWS).filter((name): name is Row => name in ROWS);
const names = Object.keys(SCENARIOS).filter((name): name is ScenarioName => name in SCENARIOS);

for (const row of rows) {
  await describeWith([ROWS[row]], `restrictions of ${row}`, (path) => {
    const runner = RUNNERS[row](server, path(ROWS[row]));
    describe.concurrent('by scenario', () => {
      for (const name of names) {
        const restriction = RESTRICTIONS[row][name];
        it(`${name}: ${restrictionText(restriction)}`, async () => {
          await using sandbox = await makeSandbox(server);
          const scenario: RestrictionScenario = SCENARIOS[name];
          const evidence = scenario.evidence(sandbox);
          const run = await tryScenario(runner, sandbox, scenario);
          expect(run.requests.length).toBeGreaterThan(0);
          expect(existsSync(evidence), JSON.stringify(run.events)).toBe(restriction.status !== 'prevented');
          if (restriction.status !== 'detected') return;
          if (restriction.by === 'scope gate') expect(scopeRefusals(SCOPE)('made.txt')).toBeDefined();
          else expect(obeyedBy(path(ROWS[row]))).toBe(true);
        });
      }
    });
  });
}

async function tryScenario(runner: CaseRunner, sandbox: Sandbox, scenario: RestrictionScenario) {
  for (const [file, text] of Object.entries(scenario.planted?.(scenario.evidence(sandbox)) ?? {})) {
    await mkdir(dirname(join(sandbox.workspace, file)), { recursive: true });
    await writeFile(join(sandbox.workspace, file), text);
  }
  const { more = {}, settings = {} } = scenario.more ?? {};
  const isReadOnly = scenario.role === 'read-only';
  return runner.runCase(sandbox, {
    script: [scenario.attempt(runner, sandbox), { say: 'Done.' }],
    more: { ...more, ...(isReadOnly ? { access: 'read' } : {}) },
    settings: { ...settings, ...(isReadOnly ? { permission: 'plan' } : {}) },
  });
}

/** Whether the agent declares planted files as settings that it obeys, from which the risk is derived. */
function obeyedBy(command: string): boolean {
  const config = AgentConfig.parse({ kind: 'acp', command });
  const { obeys = [] } = acpAgent({ name: 'x', config, search: { dir: '/', path: '' } });
  const planted = Object.keys(SCENARIOS['starts a program named in settings of the repository'].planted(''));
  return planted.some((file) => obeys.some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name)));
}
