import { fileKind } from '../../core/finish/file-kind.ts';
import {
  affectedPackages,
  expandCommand,
  isAffectedOnly,
  isStartable,
  needsPackages,
  unquotable,
} from '../../gates/affected/affected.ts';
import { readWorkspace, type WorkspacePackage, workspaceKind } from '../../gates/affected/workspace-graph.ts';
import { type CommandGateSpec, commandText, shellText } from '../../gates/gate-kinds.ts';
import { changedFiles } from '../../git/read/diff.ts';
import { type FilesOfCommit, filesOfCommit } from '../../git/read/list-files.ts';
import { candidateFlag } from '../../risks/candidate-risks.ts';
import type { Evidence } from '../../schema/gate.ts';
import type { TaskKey } from '../../schema/ids.ts';
import type { ActiveRun } from '../loop/context.ts';
import { baselineOf, NOTHING } from './compare-with-base.ts';
import { evidenceOf } from './evidence.ts';

/** A check with the command for one candidate; with `evidence` where its result is known without running it. */
export type SelectedCheck = {
  gate: CommandGateSpec;
  evidence?: Pick<Evidence, 'verdict' | 'summary'>;
  /** Whether the same command must run on the commit that the candidate is merged onto. */
  isCompared?: boolean;
  /** The gate for a checkout of the candidate in which these files are as they are in the commit that it is merged onto. */
  withBase(paths: readonly string[]): CommandGateSpec;
};

/** The files and packages that a candidate affects, in its own commit and in the one that it is merged onto. */
type Affected = { base: Side; candidate: Side };
type Side = { paths: ReadonlySet<string>; packages: readonly WorkspacePackage[] };
type Selected = { packages: ReadonlySet<string>; changed: readonly string[] };

/**
 * The check as it runs on a candidate. One with `{packages}` or `{changed}` runs on what the tasks of the candidate
 * affect, on nothing for the base of the run, and on everything before the base moves.
 */
export async function selectCheck(
  run: ActiveRun,
  candidate: { commit: string; tasks: readonly TaskKey[] },
  gate: CommandGateSpec,
): Promise<SelectedCheck> {
  if (!isAffectedOnly(gate)) return { gate, withBase: () => gate };
  const { start, tip, status } = run.ledger.state;
  const isPullRequest = run.recipe.pullRequest === 'settle';
  if (isPullRequest || status.kind === 'ended') return fullCheck(run, candidate.commit, gate);
  if (candidate.tasks.length > 0) return affectedCheck(run, { from: tip.commit, to: candidate.commit }, gate);
  if (candidate.commit !== start.base.commit) return fullCheck(run, candidate.commit, gate);
  return without(gate, 'not-applicable', `${gate.name} is not applicable: the base changes nothing`);
}

function without(gate: CommandGateSpec, verdict: 'not-applicable' | 'error', summary: string): SelectedCheck {
  return { gate, evidence: { verdict, summary }, withBase: () => gate };
}

async function affectedCheck(
  run: ActiveRun,
  between: { from: string; to: string },
  template: CommandGateSpec,
): Promise<SelectedCheck> {
  const { mirror } = run.project;
  const base = await sideOf(await filesOfCommit(mirror, between.from), template);
  const candidate = await sideOf(await filesOfCommit(mirror, between.to), template);
  // A package that only left the list of the workspace is still selected, so that its check fails.
  const sides: Affected = { base: withPackages(base, candidate), candidate: withPackages(candidate, base) };
  if (needsPackages(template) && sides.base.packages.length + sides.candidate.packages.length === 0)
    return noWorkspace(template);
  const changed = (await changedFiles(mirror, between)).map(({ path }) => path);
  const packages = affectedPackages({
    base: base.packages,
    candidate: candidate.packages,
    changed,
    isDocumentation: (path) => fileKind(path) === 'docs',
  });
  const selected: Selected = { packages, changed };
  const command = commandOn(template, selected, sides.candidate);
  if ('problem' in command) return without(template, 'error', `The check could not run: ${command.problem}`);
  const onBase = commandOn(template, selected, sides.base);
  const { full: _full, ...gate } = { ...template, run: command.run ?? NOTHING };
  const isSame = 'run' in onBase && JSON.stringify(onBase.run) === JSON.stringify(command.run);
  const expanded: CommandGateSpec = {
    ...gate,
    ...(isSame ? {} : { onBase: ('run' in onBase ? onBase.run : undefined) ?? NOTHING }),
  };
  if (command.run === undefined) {
    const what = needsPackages(template) ? 'package' : 'file';
    const summary = `${template.name} is not applicable: no ${what} that it checks is affected`;
    const unaffected = without(template, 'not-applicable', summary);
    return isSame ? unaffected : { ...unaffected, gate: expanded, isCompared: true };
  }
  return {
    gate: expanded,
    isCompared: true,
    withBase: (paths) => {
      const mixed = new Set(sides.candidate.paths);
      for (const path of paths) sides.base.paths.has(path) ? mixed.add(path) : mixed.delete(path);
      const there = commandOn(template, selected, { ...sides.candidate, paths: mixed });
      return 'run' in there && there.run !== undefined ? { ...expanded, run: there.run } : expanded;
    },
  };
}

async function fullCheck(run: ActiveRun, commit: string, template: CommandGateSpec): Promise<SelectedCheck> {
  const { full, ...gate } = template;
  if (full !== undefined) {
    const whole = { ...gate, run: full };
    return { gate: whole, withBase: () => whole };
  }
  const side = await sideOf(await filesOfCommit(run.project.mirror, commit), template);
  if (needsPackages(template) && side.packages.length === 0) return noWorkspace(template);
  const all = { packages: new Set(side.packages.map(({ name }) => name)), changed: [...side.paths] };
  const command = commandOn(gate, all, side);
  if ('problem' in command) return without(template, 'error', `The check could not run: ${command.problem}`);
  if (command.run === undefined)
    return without(template, 'not-applicable', `${template.name} is not applicable: there is nothing that it checks`);
  const whole = { ...gate, run: command.run };
  return { gate: whole, withBase: () => whole };
}

function noWorkspace(template: CommandGateSpec): SelectedCheck {
  const reason = '{packages} needs a workspace of pnpm, npm, yarn, cargo or go, and the repository has none';
  return without(template, 'error', `The check could not run: ${reason}`);
}

async function sideOf(files: FilesOfCommit, template: CommandGateSpec): Promise<Side> {
  const kind = needsPackages(template) ? workspaceKind(commandText(template), files.paths) : undefined;
  return { paths: files.paths, packages: kind === undefined ? [] : await readWorkspace(kind, files) };
}

function withPackages(side: Side, other: Side): Side {
  return { ...side, packages: [...side.packages, ...other.packages.filter(({ manifest }) => manifest !== null)] };
}

/** The command with what exists of the selection in a commit; a package exists where its manifest does. */
function commandOn(
  { run, full }: CommandGateSpec,
  { packages, changed }: Selected,
  side: Side,
): { run: CommandGateSpec['run'] | undefined } | { problem: string } {
  const exists = ({ name, manifest }: WorkspacePackage) =>
    packages.has(name) && (manifest === null || side.paths.has(manifest));
  const selection = {
    packages: [...new Set(side.packages.filter(exists).map(({ name }) => name))].sort(),
    changed: changed.filter((path) => side.paths.has(path)).sort(),
  };
  const value = unquotable(run, selection);
  if (value !== undefined)
    return { problem: `${JSON.stringify(value)} cannot be written inside quotes of the command` };
  const expanded = expandCommand(run, selection);
  if (expanded === undefined || isStartable(expanded)) return { run: expanded };
  if (full !== undefined) return { run: full };
  return {
    problem: 'its command is too long with all that is affected; set `full` of the check to a command without it',
  };
}

/** The evidence of a check that did not need to run, or could not; tests that were removed with all that it checks are flagged. */
export function evidenceWithoutRun(
  run: ActiveRun,
  { gate, evidence }: { gate: CommandGateSpec; evidence: Pick<Evidence, 'verdict' | 'summary'> },
  bound: { tree: string; definition: string },
): Evidence {
  const result = { ...evidence, exitCode: null, setup: '', durationMs: 0, command: shellText(gate) };
  const found = evidenceOf(gate, result, bound);
  const removed = baselineOf(run, found)?.tests?.ran ?? 0;
  if (removed === 0) return found;
  const detail = `${gate.name}: ${removed} ${removed === 1 ? 'test' : 'tests'} of the base did not run, because all that it checks was removed`;
  return { ...found, flags: candidateFlag('tests-missing', detail, run.ledger.state.start.config.risks) };
}
