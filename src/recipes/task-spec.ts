import { redactForms } from '../core/redact.ts';
import { type CommandGateSpec, checkName, isOnCandidate, scopeGates } from '../gates/gate-kinds.ts';
import type { Scope } from '../schema/config/scope.ts';
import type { Config } from '../schema/config.ts';
import type { GateSpec } from '../schema/gate.ts';
import {
  type Access,
  type OutputRules,
  type Retry,
  SOFT_OUTPUT_BYTES,
  type TaskLimits,
  type TaskSpec,
} from '../schema/task.ts';

/** The command gates of the settings; a check without a name is named by its text, without secrets in it. */
export function checksOf(config: Config): CommandGateSpec[] {
  return config.checks.map((check) => {
    if (typeof check === 'string')
      return { gate: 'command', name: checkName(redactForms(check)), run: check, timeoutMs: 600_000 };
    const text = typeof check.run === 'string' ? check.run : check.run.join(' ');
    return {
      gate: 'command',
      name: checkName(check.name ?? redactForms(text)),
      run: check.run,
      timeoutMs: check.timeoutSeconds * 1000,
      ...(check.full === undefined ? {} : { full: check.full }),
      ...(check.rerun === undefined ? {} : { rerun: check.rerun }),
      ...(check.labels === undefined ? {} : { labels: check.labels }),
    };
  });
}

/** A task with the run's settings: gates by access, retry and limits from its configuration. */
export function taskSpec(
  config: Config,
  task: { key: string; title: string; role: string; access: Access; prompt: string } & Partial<TaskSpec>,
): TaskSpec {
  const gates: GateSpec[] =
    task.access === 'write'
      ? [{ gate: 'changed', name: 'changed' }, ...checksOf(config), ...inspectionsOf(config)]
      : [{ gate: 'handoff', name: 'handoff' }];
  return {
    needs: [],
    gates,
    retry: retryOf(config),
    limits: limitsOf(config),
    priority: 0,
    ...task,
    title: oneLine(task.title),
  };
}

/** The gates of a task with commands of its own; one that is a check of the settings too is not run a second time. */
export function withOwnCommands(
  gates: readonly GateSpec[],
  commands: readonly string[],
  labels: Pick<CommandGateSpec, 'labels'>,
): GateSpec[] {
  const known = new Set(gates.filter(isOnCandidate).map(({ run }) => run));
  const own = commands
    .filter((command) => labels.labels !== undefined || !known.has(command))
    .map(
      (run): CommandGateSpec => ({
        gate: 'command',
        name: checkName(run),
        run,
        timeoutMs: 600_000,
        own: true,
        ...labels,
      }),
    );
  return [...gates, ...own];
}

/** A title as a person would write it: one line, not too long, without secrets. */
export function oneLine(text: string): string {
  const line = redactForms(text).replace(/\s+/g, ' ').trim();
  return line.length <= 120
    ? line
    : `${line
        .slice(0, 119)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()}…`;
}

function retryOf(config: Config): Retry {
  return { policy: 'same', attempts: config.limits.attempts, delayMs: config.limits.retryDelaySeconds * 1000 };
}

function limitsOf(config: Config): TaskLimits {
  const { inactivitySeconds, runtimeSeconds, turns, output } = config.limits;
  const rules = outputRules(output);
  return {
    inactivityMs: inactivitySeconds * 1000,
    runtimeMs: runtimeSeconds * 1000,
    outputBytes: output.maxBytes,
    ...(turns === undefined ? {} : { turns }),
    ...(Object.keys(rules).length === 0 ? {} : { output: rules }),
  };
}

/** A task holds only what differs from the defaults. */
function outputRules({ softBytes, onMax, finalOnly }: Config['limits']['output']): OutputRules {
  return {
    ...(softBytes === SOFT_OUTPUT_BYTES ? {} : { softBytes }),
    ...(onMax === 'stop' ? {} : { onMax }),
    ...(finalOnly ? { finalOnly } : {}),
  };
}

/** The gates by which the settings require the work of every writing task to be inspected. */
function inspectionsOf(config: Config): GateSpec[] {
  const { scope, secrets, syntax, cleanOutput } = config;
  const { unchecked, checkers } = syntax;
  return [
    ...scopeGatesOf(scope),
    ...(secrets.off ? [] : [{ gate: 'secrets' as const, name: 'secrets', allow: secrets.allow }]),
    ...(syntax.all ? [{ gate: 'syntax' as const, name: 'syntax', files: [], unchecked, checkers }] : []),
    ...(cleanOutput ? [{ gate: 'clean-output' as const, name: 'clean-output' }] : []),
  ];
}

/** A scope as a gate; none when it forbids nothing. Several apply together, so that each only narrows the others. */
export function scopeGatesOf({ allow, deny, maxChangedLines }: Scope): GateSpec[] {
  if (allow.length === 0 && deny.length === 0 && maxChangedLines === undefined) return [];
  const most = maxChangedLines === undefined ? {} : { maxChangedLines };
  return [{ gate: 'scope', name: 'scope', allow, deny, also: [], ...most }];
}

/** The scope of a task besides that of the settings; undefined where it has none of its own. */
export function ownScope(config: Config, gates: readonly GateSpec[]): Scope | undefined {
  const own = scopeGates(gates).slice(scopeGatesOf(config.scope).length);
  if (own.length === 0) return undefined;
  const list = own.findLast(({ allow }) => allow.length > 0);
  const most = own.flatMap(({ maxChangedLines }) => maxChangedLines ?? []);
  return {
    allow: list === undefined ? [] : [...list.allow, ...list.also],
    deny: [...new Set(own.flatMap(({ deny }) => deny))],
    ...(most.length === 0 ? {} : { maxChangedLines: Math.min(...most) }),
  };
}
