import { z } from 'zod';
import type { McpServer } from '../../schema/config/mcp.ts';
import type { Assignment } from '../agent.ts';
import { telemetryFile } from './gemini-telemetry.ts';

/** The user's settings that decide how a model is reached; an invalid one is ignored. */
export const UserSettings = z.object({
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
export type UserSettings = z.infer<typeof UserSettings>;

/** What the settings of an attempt are created from. */
export interface GeminiSettingsFacts {
  user: UserSettings;
  /** Whether the repository's own settings are obeyed. */
  isTrusted: boolean;
  env: Readonly<Record<string, string>>;
  /** The variables that were configured for this agent or account, not inherited. */
  configured: Readonly<Record<string, string>>;
  /** Whether a login with Google is stored. */
  hasGoogleLogin: boolean;
}

/** Its default of 10 can mean minutes of waiting; after 3 our own failure table decides. */
const MAX_ATTEMPTS = 3;

/** The settings file of one attempt: the user's access to the model, our limits, and no other network access or prompts. */
export function geminiSettings(
  { settings, limits, folder }: Assignment,
  facts: GeminiSettingsFacts,
): Record<string, unknown> {
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
    hooksConfig: { enabled: isTrusted },
    mcpServers: Object.fromEntries(Object.entries(settings.mcp).map(([name, server]) => [name, mcpServer(server)])),
    ...(isTrusted ? {} : { experimental: { enableAgents: false } }),
    ...(user.billing === undefined ? {} : { billing: user.billing }),
    ...(user.modelConfigs === undefined ? {} : { modelConfigs: user.modelConfigs }),
  };
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
  return { command: server.command, args: server.args, env: server.env, trust: true };
}
