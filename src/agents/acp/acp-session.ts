import { methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk/unstable';
import { z } from 'zod';
import type { Failure } from '../../schema/failure.ts';
import { chooseMode, chooseModel, Greeting, Opened } from './acp-capabilities.ts';
import type { AcpInput } from './acp-input.ts';
import { mcpServers } from './acp-prompt.ts';

/** Asks the agent something and gives its answer. */
export type Ask = (method: string, params: object) => Promise<unknown>;

/** A session that is open. */
export interface AcpSession {
  id: string;
  opened: Opened;
}

/** What a session is opened with. */
interface Opening {
  order: AcpInput;
  greeting: Greeting;
  /** Called when the earlier session cannot be gone on with; may throw. */
  onLost: (error: unknown) => void;
}

/** Begins to speak with an agent: what can it do? */
export async function greet(ask: Ask): Promise<Greeting> {
  const answer = await ask(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'manyhands', version: '1' },
  });
  return Greeting.parse(answer);
}

/** Goes on with the earlier session where the agent can; one that it has lost is begun anew, as the prompt says all. */
export async function openSession(ask: Ask, { order, greeting, onLost }: Opening): Promise<AcpSession> {
  const params = sessionParams(order, greeting);
  const method = resumeMethod(greeting);
  if (order.session !== undefined && method !== undefined) {
    try {
      const opened = Opened.parse((await ask(method, { ...params, sessionId: order.session })) ?? {});
      return { id: order.session, opened };
    } catch (error) {
      onLost(error);
    }
  }
  const opened = Opened.parse(await ask(methods.agent.session.new, params));
  return { id: z.string().parse(opened.sessionId), opened };
}

/** Puts the session into a mode in which it asks us, and onto the wanted model. */
export async function settleSession(ask: Ask, order: AcpInput, session: AcpSession): Promise<Failure | undefined> {
  const { id: sessionId, opened } = session;
  const modeId = chooseMode(opened, order);
  if (modeId !== undefined) await ask(methods.agent.session.setMode, { sessionId, modeId });
  if (order.model === undefined) return undefined;
  const choice = chooseModel(opened, order.model);
  switch (choice.kind) {
    case 'current':
      return undefined;
    case 'missing':
      return { kind: 'model-not-found', message: `The agent does not offer the model ${order.model}` };
    case 'option': {
      const { configId, value } = choice;
      await ask(methods.agent.session.setConfigOption, { sessionId, configId, value });
      return undefined;
    }
    case 'model':
      await ask('session/set_model', { sessionId, modelId: choice.modelId });
      return undefined;
  }
}

function sessionParams(order: AcpInput, { agentCapabilities: can }: Greeting): object {
  const { workspace: cwd, addDirs } = order;
  return {
    cwd,
    mcpServers: mcpServers(order, can.mcpCapabilities.http),
    ...(can.sessionCapabilities.additionalDirectories && addDirs.length > 0 ? { additionalDirectories: addDirs } : {}),
    // Claude obeys no settings of the repository, which could run code.
    _meta: { claudeCode: { options: { settingSources: [] } } },
  };
}

function resumeMethod({ agentCapabilities: can }: Greeting): string | undefined {
  if (can.sessionCapabilities.resume) return methods.agent.session.resume;
  return can.loadSession ? methods.agent.session.load : undefined;
}
