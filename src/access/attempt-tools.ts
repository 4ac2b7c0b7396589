import { realpath } from 'node:fs/promises';
import type { App } from '../app.ts';
import { loadConfig } from '../config/load.ts';
import { refuseCall } from '../core/run/decide-run.ts';
import type { RunState } from '../core/run/state.ts';
import type { AttemptTools, OpenTools, ToolsOwner } from '../engine/attempt/attempt-tools.ts';
import { AppError } from '../errors.ts';
import type { Home } from '../home.ts';
import { operationOf, toolsFor } from '../mcp/tool.ts';
import type { Identity } from '../operations/authorize.ts';
import { dispatch } from '../operations/dispatch.ts';
import type { Origin } from '../schema/actor.ts';
import { configuredIntegrations, type Integration, integrationsOf } from '../schema/config/integrations.ts';
import { loadToolKey } from '../store/credentials/tool-tokens.ts';
import type { World } from '../world.ts';
import { LONGEST_ARGUMENTS } from './socket/tool-client.ts';
import { openToolSocket, type ToolCall } from './tool-socket.ts';

type Sources = { home: Home; world: World; app: () => App };

/** The refusals of tools that are recorded in the run. */
const RECORDED: readonly string[] = ['INPUT_INVALID', 'REFUSED', 'TASK_UNKNOWN'];

/** Opens a socket and a token of its own for each attempt; calls on it are operations of that attempt and of no other. */
export class AttemptSockets implements AttemptTools {
  readonly #sources: Sources;
  #key: Promise<string> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async open(owner: ToolsOwner): Promise<OpenTools> {
    const { world } = this.#sources;
    this.#key ??= loadToolKey({ root: this.#sources.home.root, world });
    return openToolSocket(
      {
        owner,
        key: await this.#key,
        call: (request, signal) => this.call(owner, request, signal),
        refuse: (what) => this.#refuse(owner, what),
        isContinued: () => isCurrent(this.#sources.app().runs.state(owner.run), owner),
      },
      world,
    );
  }

  async call(owner: ToolsOwner, { tool, call, arguments: given }: ToolCall, signal: AbortSignal): Promise<unknown> {
    if (!isCurrent(this.#sources.app().runs.state(owner.run), owner)) {
      await this.#refuse(owner, `${tool} after the attempt has ended`);
      throw new AppError('TOOL_REFUSED', `Attempt ${owner.id} has ended, and its tools with it`);
    }
    const user = { role: 'attempt', access: owner.access } as const;
    if (tool === 'list-tools') return toolsFor({ ...user, integrations: await this.#integrations(owner) });
    if (given === undefined) {
      await this.#refuse(owner, `${tool} with arguments that are too long`);
      throw new AppError('TOOL_REFUSED', `The arguments of a tool are at most ${LONGEST_ARGUMENTS} bytes`);
    }
    const operation = operationOf(tool, user);
    if (operation === undefined) {
      await this.#refuse(owner, tool);
      throw new AppError('TOOL_REFUSED', `There is no tool ${tool} for this task`);
    }
    const own = { run: owner.run, task: owner.task, attempt: owner.attempt };
    const bound: Identity = { role: 'attempt', bound: { to: 'attempt', ...own } };
    // An id that the agent passes stays, so that one of another attempt is refused.
    const input = { ...own, ...given, call };
    try {
      return await dispatch(this.#sources.app(), { operation, input }, { signal, origin: originOf(owner) }, bound);
    } catch (error) {
      // Input that no tool takes, and more than a task may have; other refusals are recorded where they are decided.
      if (error instanceof AppError && RECORDED.includes(error.code))
        await this.#refuse(owner, `${tool}: ${error.message}`);
      throw error;
    }
  }

  /** Which integrations the person configured for the project of the run. */
  async #integrations({ run }: ToolsOwner): Promise<ReadonlySet<Integration>> {
    const app = this.#sources.app();
    const { integrations } = await loadConfig({ env: app.env });
    const { root } = app.runs.state(run).start.project;
    return configuredIntegrations(integrationsOf(integrations, root, await realpath(root).catch(() => root)));
  }

  async #refuse(owner: ToolsOwner, what: string): Promise<void> {
    const { control } = this.#sources.app();
    const { redact } = control?.activeRun(owner.run) ?? { redact: String };
    await control?.record(owner.run, (state) => refuseCall(state, redact(what).slice(0, 200)), originOf(owner));
  }
}

function originOf({ id }: ToolsOwner): Origin {
  return { actor: { kind: 'agent', attempt: id }, via: 'mcp' };
}

function isCurrent(state: RunState, { task, attempt }: ToolsOwner): boolean {
  const found = state.tasks[task];
  return found?.phase.status === 'running' && found.attempts[attempt - 1]?.ended === null;
}
