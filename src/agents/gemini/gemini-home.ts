import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../errors.ts';
import type { Assignment } from '../agent.ts';
import { parseJsonObject } from '../json-object.ts';
import { outputRequest } from '../output-request.ts';
import { geminiRights } from './gemini-permissions.ts';
import { type GeminiSettingsFacts, geminiSettings, UserSettings } from './gemini-settings.ts';

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
  const settings = geminiSettings(assignment, { ...facts, user, hasGoogleLogin });
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
