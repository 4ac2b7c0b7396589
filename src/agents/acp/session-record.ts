import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { z } from 'zod';
import type { Usage } from '../../schema/usage.ts';
import { AssistantLine, ModelUsage, type ModelUsages } from '../claude/claude-line.ts';
import { OpenCalls, usageBetween } from '../claude/claude-usage.ts';
import { openRollout } from '../codex/codex-rollout.ts';
import { billedUsage, followSession } from '../gemini/gemini-session.ts';
import { parseJsonObject } from '../json-object.ts';
import { PRICES } from '../prices.ts';
import { namesIn, readAllowance, type SessionLines, sessionLines } from '../session-lines.ts';
import { usageOfCalls } from '../sum-usage.ts';
import { opencodeUsage } from './opencode-usage.ts';

/** A session of an ACP agent since a time, in the environment of its program. */
export interface RecordedSession {
  id: string;
  since: number;
  env: Readonly<Record<string, string>>;
}

/**
 * The usage of a session in the program's own records; `none` if they contain no call. They survive a kill, and contain
 * what responses omit: all calls of opencode, cached tokens of gemini, and the titles that claude requests.
 */
export type SessionRecord = (when: RecordTime) => Usage;

/** Whether programs that could change the record still run. */
export type RecordTime = 'running' | 'ended';

/** By program name; an unknown program keeps no records that can be read. */
const RECORDS: readonly (readonly [RegExp, (session: RecordedSession) => SessionRecord])[] = [
  [/claude/, claudeUsage],
  [/codex/, codexUsage],
  [/gemini/, geminiUsage],
  [/opencode/, (session) => opencodeUsage(opencodeDatabase(session.env), session)],
];

/** Opens the record of a session; undefined for a program without one. */
export function openSessionRecord(program: string, session: RecordedSession): SessionRecord | undefined {
  return RECORDS.find(([pattern]) => pattern.test(basename(program)))?.[1](session);
}

/** The variable with which claude checks a model by a call, which no usage reports, when it resumes a session. */
const CLAUDE_MODEL = 'ANTHROPIC_MODEL';

/** The environment in which a session is resumed: one of claude that has an answer has the model of that answer. */
export function environmentToResume(
  program: string,
  { id, env }: { id: string; env: Record<string, string> },
): Record<string, string> {
  if (!/claude/.test(basename(program)) || env[CLAUDE_MODEL] === undefined) return env;
  if (claudeUsage({ id, since: 0, env })().kind !== 'known') return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== CLAUDE_MODEL));
}

const ClaudeTotal = z.object({ type: z.literal('cost-state'), modelUsage: z.record(z.string(), ModelUsage) });

/** Claude writes each answer of a session and of its subagents to a file, and when it exits the total of the session. */
function claudeUsage({ id, since, env }: RecordedSession): () => Usage {
  const projects = join(env.CLAUDE_CONFIG_DIR || join(homeOf(env), '.claude'), 'projects');
  const files = new Map<string, SessionLines>();
  const allowance = readAllowance();
  const calls = new OpenCalls();
  let totalBefore: ModelUsages = {};
  let total: ModelUsages | undefined;
  const onLine = (text: string) => {
    const line = parseJsonObject(text);
    const ended = ClaudeTotal.safeParse(line).data;
    if (ended !== undefined && calls.size === 0) totalBefore = ended.modelUsage;
    else if (ended !== undefined) total = ended.modelUsage;
    const { data } = AssistantLine.safeParse(line);
    if (data === undefined || Date.parse(data.timestamp ?? '') < since || !data.message.usage) return;
    calls.record(data.message.id, data.message);
    total = undefined;
  };
  const find = () => {
    for (const project of namesIn(projects)) {
      const folder = join(projects, project);
      if (!namesIn(folder).includes(`${id}.jsonl`)) continue;
      const subagents = join(folder, id, 'subagents');
      const paths = namesIn(subagents).filter((name) => name.endsWith('.jsonl'));
      return [join(folder, `${id}.jsonl`), ...paths.map((name) => join(subagents, name))];
    }
    return [];
  };
  return () => {
    for (const path of find()) {
      const lines = files.get(path) ?? sessionLines(path, 0, allowance);
      files.set(path, lines);
      lines.readNew(onLine);
    }
    return total === undefined ? calls.usage() : { ...usageBetween(totalBefore, total), turns: calls.size };
  };
}

function codexUsage({ id, since, env }: RecordedSession): () => Usage {
  const home = env.CODEX_HOME || join(homeOf(env), '.codex');
  const rollout = openRollout({ home, thread: id, from: 0, since });
  return () => {
    rollout.refresh();
    return usageOfCalls(rollout.calls, PRICES);
  };
}

function geminiUsage({ id, since, env }: RecordedSession): () => Usage {
  const session = followSession(env.GEMINI_CLI_HOME || homeOf(env), { id, from: since });
  return () => {
    const tokens = session.tokens();
    return billedUsage(tokens, session.answers);
  };
}

function homeOf(env: Readonly<Record<string, string>>): string {
  return env.HOME || homedir();
}

function opencodeDatabase(env: Readonly<Record<string, string>>): string {
  const folder = join(env.XDG_DATA_HOME || join(homeOf(env), '.local', 'share'), 'opencode');
  return env.OPENCODE_DB || join(folder, 'opencode.db');
}
