import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../errors.ts';
import type { McpServer } from '../../schema/config/mcp.ts';
import type { Assignment } from '../agent.ts';
import { outputRequest } from '../final-json.ts';
import { parseJsonObject } from '../json-object.ts';
import { HOOK_SECONDS, prepareToolHook } from '../tool-hook.ts';
import { geminiRights } from './gemini-permissions.ts';
import { telemetryFile } from './gemini-telemetry.ts';
import { withGeminiNames } from './gemini-tool-names.ts';

/** The user's settings that decide how a model is reached; an invalid one is ignored. */
const UserSettings = z.object({
  security: z
    .object({ auth: z.looseObject({ selectedType: z.string().optional() }).optional() })
    .optional()
    .catch(undefined),
  billing: z.looseObject({}).optional().catch(undefined),
  modelConfigs: z.looseObject({}).optional().catch(undefined),
  model: z.object({ name: z.string().optional() }).optional().catch(undefined),
  general: z
    .object({ maxAttempts: z.number().optional(), retryFetchErrors: z.boolean().optional() })
    .optional()
    .catch(undefined),
  advanced: z.object({ dnsResolutionOrder: z.string().optional() }).optional().catch(undefined),
});

type UserSettings = z.infer<typeof UserSettings>;

/** What the settings of an attempt are created from. */
interface GeminiSettingsFacts {
  user: UserSettings;
  /** Whether the repository's own settings are obeyed. */
  isTrusted: boolean;
  env: Readonly<Record<string, string>>;
  /** The variables that were configured for this agent or account, not inherited. */
  configured: Readonly<Record<string, string>>;
  /** Whether a login with Google is stored. */
  hasGoogleLogin: boolean;
  /** The command of the hook that warns of edits without a lock. */
  hook: string | undefined;
}

/** Its default of 10 can mean minutes of waiting; after 3 our own failure table decides. */
const MAX_ATTEMPTS = 3;

/** What a home is created from. */
export interface GeminiHomeFacts extends Pick<GeminiSettingsFacts, 'env' | 'configured' | 'isTrusted'> {
  /** The user's own Gemini folder, usually `~/.gemini`. */
  userFolder: string;
}

/** The home of one attempt, and its policy file. */
export interface GeminiHome {
  path: string;
  policy: string;
}

const FOLDER = '.gemini';
const EDITING_TOOLS = '^(write_file|replace)$';
/** Sessions are stored with the user's own, so that a later attempt can resume one. */
const SESSIONS = ['tmp', 'history'];
/** Files that grant permissions, instruct the agent or run code are not linked; everything else is the user's login. */
const OURS = new Set([
  ...SESSIONS,
  ...['settings.json', 'GEMINI.md', 'AGENTS.md', 'projects.json', 'projects.json.lock', 'trustedFolders.json'],
  ...['agents', 'commands', 'extensions', 'hooks', 'policies', 'skills', 'trusted_hooks.json', '.env'],
]);

/** The path of an attempt's home. */
export function geminiHomePath(folder: string): string {
  return join(folder, 'gemini');
}

/**
 * Creates the home of an attempt: our own settings, policy and instructions, with the user's login linked. System
 * settings would override the repository's, but Gemini reads those only from folders owned by root.
 */
export async function prepareGeminiHome(assignment: Assignment, facts: GeminiHomeFacts): Promise<GeminiHome> {
  const path = geminiHomePath(assignment.folder);
  const inner = join(path, FOLDER);
  await rm(path, { recursive: true, force: true });
  await mkdir(inner, { recursive: true, mode: 0o700 });
  await linkLogin(facts.userFolder, path);
  const user = UserSettings.parse(parseJsonObject(await settingsText(facts.userFolder)) ?? {});
  const hasGoogleLogin = existsSync(join(facts.userFolder, 'oauth_creds.json'));
  const hook = hasUntrustedSettings(assignment, facts) ? undefined : await prepareToolHook(assignment, 'warnings');
  const settings = geminiSettings(assignment, { ...facts, user, hasGoogleLogin, hook });
  const policy = join(inner, 'rights.toml');
  await write(join(inner, 'settings.json'), JSON.stringify(settings));
  await write(policy, geminiRights(assignment).policy);
  await write(join(inner, 'GEMINI.md'), instructionsFor(assignment));
  return { path, policy };
}

async function linkLogin(from: string, home: string): Promise<void> {
  for (const name of SESSIONS) await mkdir(join(from, name), { recursive: true });
  const entries = (await readdir(from)).filter((name) => !OURS.has(name));
  for (const name of [...SESSIONS, ...entries]) await symlink(join(from, name), join(home, FOLDER, name));
  const variables = [join(from, '.env'), join(from, '..', '.env')].find((file) => existsSync(file));
  if (variables !== undefined) await symlink(variables, join(home, '.env'));
}

/** Gemini reads the repository's GEMINI.md and AGENTS.md itself; all other instructions are in its home, with lower priority. */
function instructionsFor({ settings, outputSchema }: Assignment): string {
  return [settings.instructions, outputRequest(outputSchema)].filter((text) => text.trim() !== '').join('\n\n');
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 });
}

/** Its settings may contain comments. */
async function settingsText(folder: string): Promise<string> {
  try {
    const text = await readFile(join(folder, 'settings.json'), 'utf8');
    return text.replace(/("(?:\\.|[^"\\])*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '$1');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** The settings file of one attempt: the user's access to the model, our limits, and no other network access or prompts. */
function geminiSettings({ settings, limits, folder }: Assignment, facts: GeminiSettingsFacts): Record<string, unknown> {
  const { user, isTrusted } = facts;
  return {
    security: { auth: authOf(facts), folderTrust: { enabled: false } },
    general: {
      maxAttempts: MAX_ATTEMPTS,
      ...user.general,
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      checkpointing: { enabled: false },
      sessionRetention: { enabled: false },
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: true, target: 'local', outfile: telemetryFile(folder), logPrompts: false },
    advanced: { ...user.advanced, ignoreLocalEnv: true },
    model: { ...user.model, ...(limits.turns === undefined ? {} : { maxSessionTurns: limits.turns }) },
    context: { fileName: ['GEMINI.md', 'AGENTS.md'], includeDirectories: settings.addDirs },
    tools: { shell: { enableInteractiveShell: false } },
    hooksConfig: { enabled: isTrusted || facts.hook !== undefined },
    ...(facts.hook === undefined ? {} : { hooks: { AfterTool: [editHook(facts.hook)] } }),
    mcpServers: Object.fromEntries(
      Object.entries(withGeminiNames(settings.mcp)).map(([name, server]) => [name, mcpServer(server)]),
    ),
    ...(isTrusted ? {} : { experimental: { enableAgents: false } }),
    ...(user.billing === undefined ? {} : { billing: user.billing }),
    ...(user.modelConfigs === undefined ? {} : { modelConfigs: user.modelConfigs }),
  };
}

/**
 * Whether the repository has settings that are not trusted: with hooks enabled Gemini would run theirs, which it reads
 * although it ignores the rest.
 */
function hasUntrustedSettings({ workspace }: Assignment, { isTrusted }: GeminiHomeFacts): boolean {
  return !isTrusted && existsSync(join(workspace, FOLDER));
}

/** What Gemini calls after an edit; the text of the hook is part of the result that the model reads. */
function editHook(command: string): Record<string, unknown> {
  return { matcher: EDITING_TOOLS, hooks: [{ type: 'command', command, timeout: HOOK_SECONDS * 1_000 }] };
}

/** It does not start without an auth type; a key that is configured for us overrides the user's choice in Gemini. */
function authOf({ user, env, configured, hasGoogleLogin }: GeminiSettingsFacts): Record<string, unknown> {
  const chosen = user.security?.auth ?? {};
  if (configured.GEMINI_API_KEY) return { ...chosen, selectedType: 'gemini-api-key' };
  if (chosen.selectedType !== undefined) return chosen;
  if (env.GOOGLE_GENAI_USE_VERTEXAI === 'true') return { ...chosen, selectedType: 'vertex-ai' };
  if (env.GEMINI_API_KEY || !hasGoogleLogin) return { ...chosen, selectedType: 'gemini-api-key' };
  return { ...chosen, selectedType: 'oauth-personal' };
}

function mcpServer(server: McpServer): object {
  if ('url' in server) return { httpUrl: server.url, headers: server.headers, trust: true };
  return {
    command: server.command,
    args: server.args,
    env: server.env,
    trust: true,
  };
}
