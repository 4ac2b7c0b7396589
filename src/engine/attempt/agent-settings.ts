import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { AssignmentSettings, NativeFile, TrustedFile } from '../../agents/agent.ts';
import { modelFor } from '../../core/models/tier.ts';
import { allowedByRules, configuredLists } from '../../core/policy/rule-lists.ts';
import type { AttemptState, TaskState } from '../../core/run/state.ts';
import { errorCode } from '../../errors.ts';
import { candidateGates } from '../../gates/gate-kinds.ts';
import { showFile } from '../../git/read/diff.ts';
import { readTopTexts } from '../../git/read/top-files.ts';
import type { AgentConfig, Permission } from '../../schema/config/agent.ts';
import type { McpServer } from '../../schema/config/mcp.ts';
import type { Config } from '../../schema/config.ts';
import type { Access, Tier } from '../../schema/task.ts';
import type { ActiveRun } from '../loop/context.ts';

/** A settings file is shorter than this. */
const MAX_BYTES = 1024 * 1024;

type Native = Partial<Record<NativeFile, string>>;

const NATIVE_FILES: readonly NativeFile[] = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md'];

type SettingsRequest = { task: TaskState; attempt: AttemptState; tier: Tier | undefined; workspace: string };

/** The tools and instructions of an agent in this attempt: from the run's settings, and from files of its base commit only. */
export async function settingsFor(run: ActiveRun, request: SettingsRequest): Promise<AssignmentSettings> {
  const { config } = run;
  const { task, attempt, base } = { ...request, base: request.attempt.base };
  const agent = config.agents[attempt.agent];
  const account = attempt.account === null ? undefined : agent?.accounts[attempt.account];
  const model = modelFor(agent, request.tier);
  const extra = verifierTools(config, task);
  const allowed = allowedByRules(configuredLists(config.policy).person, task.spec.role);
  const instructions =
    config.instructions === undefined ? undefined : await showFile(run.project.mirror, base, config.instructions);
  return {
    permission: permissionFor(config, agent, task),
    allowedTools: [...config.tools.allowedTools, ...extra.tools, ...allowed.tools],
    disallowedTools: config.tools.disallowedTools,
    ...(extra.tools.length === 0 ? {} : { scratchTools: extra.tools }),
    allowedCli: [...config.tools.allowedCli, ...checkCommands(task), ...allowed.commands],
    addDirs: config.tools.addDirs,
    mcp: { ...config.mcp, ...extra.mcp },
    trusted: await trustedFiles({ workspace: request.workspace, access: task.spec.access }, config.trust),
    instructions: instructions ?? '',
    native: await nativeFiles(run, base),
    ...(model === undefined ? {} : { model }),
    ...(agent?.effort === undefined ? {} : { effort: agent.effort }),
    ...(account === undefined || attempt.account === null ? {} : { account: { name: attempt.account, ...account } }),
  };
}

/** An agent may always run the checks that its work must pass. */
function checkCommands(task: TaskState): string[] {
  return candidateGates(task.spec.gates).flatMap(({ run }) => (typeof run === 'string' ? [run] : []));
}

/** A read-only task never gets write permission, whatever the settings say. */
function permissionFor(config: Config, agent: AgentConfig | undefined, task: TaskState): Permission {
  if (task.spec.access === 'read') return 'plan';
  if (config.tools.skipPermissions) return 'bypass';
  return agent?.permission ?? config.tools.permissionMode ?? 'acceptEdits';
}

/** The instruction files of a commit, read once for tasks that start from the same one. */
function nativeFiles(run: ActiveRun, base: string): Promise<Native> {
  if (run.nativeFiles?.base === base) return run.nativeFiles.files;
  const files = readNative(run, base);
  const read = { base, files };
  run.nativeFiles = read;
  // A read that failed is repeated for the next attempt.
  files.catch(() => {
    if (run.nativeFiles === read) run.nativeFiles = undefined;
  });
  return files;
}

async function readNative(run: ActiveRun, base: string): Promise<Native> {
  const texts = await readTopTexts(run.project.mirror, base, NATIVE_FILES);
  const native: Native = {};
  for (const name of NATIVE_FILES) {
    const text = texts.get(name);
    if (text !== undefined) native[name] = text;
  }
  return native;
}

/** What a verifier may use in addition to other read-only agents: the tools of `verify`, and a browser where enabled. */
function verifierTools(config: Config, task: TaskState): { tools: string[]; mcp: Record<string, McpServer> } {
  if (task.spec.verifies === undefined && task.spec.role !== 'verify') return { tools: [], mcp: {} };
  const { tools, browser } = config.verify;
  if (!browser.enabled) return { tools, mcp: {} };
  const command =
    browser.command === undefined
      ? { command: 'npx', args: ['-y', browser.package, ...browser.args] }
      : { command: browser.command, args: browser.args };
  return { tools: [...tools, `mcp__${browser.name}`], mcp: { [browser.name]: { ...command, env: {} } } };
}

/**
 * The repository's settings files that an agent may obey, with their texts: those that the user trusts, if every trusted
 * file (a hook's script too) still has the content that was trusted. One that differs makes all of them untrusted, and
 * permissions that a repository grants never include writing for a read-only task.
 */
export async function trustedFiles(
  { workspace, access }: { workspace: string; access: Access },
  hashes: Readonly<Record<string, string>>,
): Promise<TrustedFile[]> {
  if (access === 'read') return [];
  const files: TrustedFile[] = [];
  for (const [path, hash] of Object.entries(hashes)) {
    // The configuration of the user's own repository, which no workspace has.
    if (path.startsWith('.git/')) continue;
    const bytes = await readPlainFile(join(workspace, path));
    if (bytes === undefined || sha256(bytes) !== hash) return [];
    files.push({ path, text: bytes.toString('utf8') });
  }
  return files;
}

/** An agent may have created anything there: a pipe would block, a link could point elsewhere. */
async function readPlainFile(path: string): Promise<Buffer | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat().then((stat) => (stat.isFile() ? stat : { size: Infinity }));
    return size > MAX_BYTES ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
