import type { AgentKey, AgentNetwork } from './agent.ts';

type Env = Readonly<Record<string, string>>;

/** A vendor whose programs take a key and a base URL from variables. */
type KeyVariables = { keys: readonly string[]; baseUrl: string; upstream: string };

const ANTHROPIC: KeyVariables = {
  keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
  baseUrl: 'ANTHROPIC_BASE_URL',
  upstream: 'https://api.anthropic.com',
};
const GEMINI: KeyVariables = {
  keys: ['GEMINI_API_KEY'],
  baseUrl: 'GOOGLE_GEMINI_BASE_URL',
  upstream: 'https://generativelanguage.googleapis.com',
};
const OPENAI: KeyVariables = { keys: ['OPENAI_API_KEY'], baseUrl: 'OPENAI_BASE_URL', upstream: '' };

/** Claude Code: its API, what refreshes a login, and the cloud that hosts the model where one is configured. */
export const CLAUDE_NETWORK: AgentNetwork = {
  hosts: (env) => [
    'api.anthropic.com',
    'console.anthropic.com',
    'platform.claude.com',
    'claude.ai',
    ...(env.CLAUDE_CODE_USE_BEDROCK ? ['*.amazonaws.com'] : []),
    ...(env.CLAUDE_CODE_USE_VERTEX ? ['*.googleapis.com'] : []),
    ...(env.CLAUDE_CODE_USE_FOUNDRY ? ['*.services.ai.azure.com', 'login.microsoftonline.com'] : []),
  ],
  keys: (env) => keysIn(env, ANTHROPIC),
};

/** Codex takes the base URL of its own provider as a setting, and a key for it from CODEX_API_KEY. */
export const CODEX_NETWORK: AgentNetwork = {
  hosts: () => ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  keys: ({ CODEX_API_KEY: secret = '' }) =>
    secret === ''
      ? []
      : [
          {
            name: 'CODEX_API_KEY',
            secret,
            upstream: 'https://api.openai.com/v1',
            replace: ({ command: [program = '', ...args], env }, { placeholder, baseUrl }) => {
              // Another provider, or another address of this one, is the person's choice; its key stays where it is.
              if (args.some((argument) => /\b(model_provider|openai_base_url)\s*=/.test(argument)))
                return { command: [program, ...args], env };
              const setting = ['-c', `openai_base_url=${JSON.stringify(baseUrl)}`];
              return { command: [program, ...setting, ...args], env: { ...env, CODEX_API_KEY: placeholder } };
            },
          },
        ],
};

export const GEMINI_NETWORK: AgentNetwork = {
  hosts: (env) => [
    'generativelanguage.googleapis.com',
    'cloudcode-pa.googleapis.com',
    'oauth2.googleapis.com',
    'accounts.google.com',
    'www.googleapis.com',
    ...(env.GOOGLE_GENAI_USE_VERTEXAI || env.GOOGLE_CLOUD_PROJECT ? ['*.googleapis.com'] : []),
  ],
  keys: (env) => keysIn(env, GEMINI),
};

/** Opencode can use any vendor; its settings, which are a variable, may contain a key with its base URL. */
const OPENCODE_NETWORK: AgentNetwork = {
  hosts: () => [
    'opencode.ai',
    'models.dev',
    'api.anthropic.com',
    'api.openai.com',
    'generativelanguage.googleapis.com',
  ],
  keys: (env) => opencodeKeys(env),
};

/** A program that the person configured: its key is replaced where its base URL is configured too, which shows that it accepts one. */
export const COMMAND_NETWORK: AgentNetwork = {
  hosts: () => [],
  keys: (env) => [ANTHROPIC, GEMINI, OPENAI].flatMap((vendor) => (env[vendor.baseUrl] ? keysIn(env, vendor) : [])),
};

/** Of the programs that speak the Agent Client Protocol, by their names. */
export function acpNetwork(program: string): AgentNetwork {
  if (/claude/.test(program)) return CLAUDE_NETWORK;
  if (/gemini/.test(program)) return GEMINI_NETWORK;
  if (/opencode/.test(program)) return OPENCODE_NETWORK;
  if (/codex/.test(program)) return { ...CODEX_NETWORK, keys: () => [] };
  return COMMAND_NETWORK;
}

function keysIn(env: Env, { keys, baseUrl, upstream }: KeyVariables): AgentKey[] {
  return keys.flatMap((name) => {
    const secret = env[name] ?? '';
    if (secret === '') return [];
    return {
      name,
      secret,
      upstream: env[baseUrl] || upstream,
      replace: (program, by) => ({
        ...program,
        env: { ...program.env, [name]: by.placeholder, [baseUrl]: by.baseUrl },
      }),
    };
  });
}

const OPENCODE_SETTINGS = 'OPENCODE_CONFIG_CONTENT';

function opencodeKeys(env: Env): AgentKey[] {
  const providers = Object.entries(objectAt(parse(env[OPENCODE_SETTINGS] ?? ''), 'provider'));
  return providers.flatMap(([provider, settings]) => {
    const { apiKey: secret, baseURL: upstream } = objectAt(settings, 'options');
    if (typeof secret !== 'string' || typeof upstream !== 'string' || secret.length < 8) return [];
    return {
      name: `${OPENCODE_SETTINGS} (${provider})`,
      secret,
      upstream,
      replace: (program, by) => {
        const content = parse(program.env[OPENCODE_SETTINGS] ?? '');
        const options = { ...objectAt(settings, 'options'), apiKey: by.placeholder, baseURL: by.baseUrl };
        const changed = { ...objectAt(content, 'provider'), [provider]: { ...asObject(settings), options } };
        const text = JSON.stringify({ ...asObject(content), provider: changed });
        return { ...program, env: { ...program.env, [OPENCODE_SETTINGS]: text } };
      },
    };
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The program itself reports settings that cannot be read.
    return undefined;
  }
}

function objectAt(value: unknown, key: string): Record<string, unknown> {
  return asObject(asObject(value)[key]);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
