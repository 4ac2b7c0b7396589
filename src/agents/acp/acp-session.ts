import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import type { Failure } from '../../schema/failure.ts';
import { outputRequest } from '../final-json.ts';
import { chooseMode, chooseModel, InitializeResult, SessionOptions } from './acp-capabilities.ts';
import type { AcpInput } from './acp-input.ts';

/** Sends a request to the agent and returns its response. */
export type SendRequest = (method: string, params: object) => Promise<unknown>;

/** An open session. */
export interface AcpSession {
  id: string;
  options: SessionOptions;
}

/** The title of sessions, where an agent would otherwise call a model for one. */
const TITLE = 'Manyhands';

/** What a session is opened with. */
interface OpenSessionOptions {
  input: AcpInput;
  initialized: InitializeResult;
  /** Called when the earlier session cannot be resumed; may throw. */
  onLost: (error: unknown) => void;
}

/** Initializes the connection and returns the agent's capabilities. */
export async function initialize(request: SendRequest): Promise<InitializeResult> {
  const answer = await request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'manyhands', version: '1' },
  });
  return InitializeResult.parse(answer);
}

/** Resumes the earlier session if the agent can; otherwise opens a new one, because the prompt is complete by itself. */
export async function openSession(
  request: SendRequest,
  { input, initialized, onLost }: OpenSessionOptions,
): Promise<AcpSession> {
  const params = sessionParams(input, initialized);
  const method = resumeMethod(initialized);
  if (input.session !== undefined && method !== undefined) {
    try {
      const options = SessionOptions.parse((await request(method, { ...params, sessionId: input.session })) ?? {});
      return { id: input.session, options };
    } catch (error) {
      onLost(error);
    }
  }
  const options = SessionOptions.parse(await request(methods.agent.session.new, params));
  return { id: z.string().parse(options.sessionId), options };
}

/** Selects a mode in which the agent requests permissions, and the requested model. */
export async function configureSession(
  request: SendRequest,
  input: AcpInput,
  session: AcpSession,
): Promise<Failure | undefined> {
  const { id: sessionId, options } = session;
  const modeId = chooseMode(options, input);
  if (modeId !== undefined) await request(methods.agent.session.setMode, { sessionId, modeId });
  if (input.model === undefined) return undefined;
  const choice = chooseModel(options, input.model);
  switch (choice.kind) {
    case 'current':
      return undefined;
    case 'missing':
      return { kind: 'model-not-found', message: `The agent does not offer the model ${input.model}` };
    case 'option': {
      const { configId, value } = choice;
      await request(methods.agent.session.setConfigOption, { sessionId, configId, value });
      return undefined;
    }
    case 'model':
      await request('session/set_model', { sessionId, modelId: choice.modelId });
      return undefined;
  }
}

function sessionParams(input: AcpInput, { agentCapabilities: can }: InitializeResult): object {
  const { workspace: cwd, addDirs } = input;
  return {
    cwd,
    mcpServers: mcpServers(input, can.mcpCapabilities.http),
    ...(can.sessionCapabilities.additionalDirectories && addDirs.length > 0 ? { additionalDirectories: addDirs } : {}),
    // Claude obeys no settings of the repository, which could run code, has no MCP server of the user, and calls no model for a title or for suggestions, which no usage reports.
    _meta: {
      claudeCode: {
        options: { settingSources: [], strictMcpConfig: true, title: TITLE, promptSuggestions: false },
      },
    },
  };
}

function resumeMethod({ agentCapabilities: can }: InitializeResult): string | undefined {
  if (can.sessionCapabilities.resume) return methods.agent.session.resume;
  return can.loadSession ? methods.agent.session.load : undefined;
}

/** A piece of a prompt. */
type TextBlock = { type: 'text'; text: string };

/** The unchanged prompt, then texts of lower priority, each as its own block. */
export function promptBlocks(prompt: string, input: AcpInput, agentName: string): TextBlock[] {
  return [prompt, nativeText(input, agentName), input.instructions, outputRequest(input.outputSchema)]
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'text', text }));
}

/** Agents that may not read the repository's settings do not read its instructions either; the others read them themselves. */
function nativeText({ native }: AcpInput, agentName: string): string {
  if (/claude/i.test(agentName)) return native['CLAUDE.md'] ?? native['AGENTS.md'] ?? '';
  return /opencode/i.test(agentName) ? (native['AGENTS.md'] ?? native['CLAUDE.md'] ?? '') : '';
}

/** The MCP servers in the form of the protocol; HTTP servers only where the agent supports them. */
function mcpServers({ sessionMcp }: AcpInput, canHttp: boolean): object[] {
  const pairs = (record: Record<string, string>) => Object.entries(record).map(([name, value]) => ({ name, value }));
  return Object.entries(sessionMcp).flatMap(([name, server]): object[] => {
    if (!('url' in server)) return [{ name, command: server.command, args: server.args, env: pairs(server.env) }];
    return canHttp ? [{ type: 'http', name, url: server.url, headers: pairs(server.headers) }] : [];
  });
}
