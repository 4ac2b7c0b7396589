import type { McpServer } from '../../schema/config/mcp.ts';
import type { Access } from '../../schema/task.ts';

/** The attempt whose agent gets tools. */
export type ToolsOwner = {
  /** The attempt's id. */
  id: string;
  run: string;
  task: string;
  attempt: number;
  access: Access;
  /** Its private folder. */
  folder: string;
};

/** The tools of one attempt; disposed of when it has ended. */
export interface OpenTools extends AsyncDisposable {
  /** The file with the socket, the token and the program that calls a tool. */
  readonly file: string;
  /** The MCP server that an agent starts. */
  readonly server: McpServer;
  /** A folder outside the attempt's own that its sandbox must show. */
  readonly folder?: string;
}

/** Opens the tools of attempts; provided by the process that runs the engine, because tools are operations. */
export interface AttemptTools {
  open(owner: ToolsOwner): Promise<OpenTools>;
  /** Performs a call of an attempt on a host, which has verified its token; undefined where calls are forwarded. */
  call?(
    owner: ToolsOwner,
    request: { tool: string; call: string; arguments?: Record<string, unknown> | undefined },
    signal: AbortSignal,
  ): Promise<unknown>;
}

type Listener = (isWaiting: boolean) => void;

/** Which attempts wait inside a tool call: they hold no slot and no account, and their inactivity is not measured. */
export class AttemptWaits {
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** The waiting tasks, as `run task`. */
  get tasks(): ReadonlySet<string> {
    return new Set(this.#counts.keys());
  }

  /** Marks the attempt of a task as waiting while the work is in progress. */
  async during<T>({ run, task }: { run: string; task: string }, work: () => Promise<T>): Promise<T> {
    const name = `${run} ${task}`;
    this.#change(name, 1);
    try {
      return await work();
    } finally {
      this.#change(name, -1);
    }
  }

  /** Calls the listener when the attempt of a task begins or ends to wait; returns the function that unsubscribes. */
  onChange({ run, task }: { run: string; task: string }, listener: Listener): () => void {
    const name = `${run} ${task}`;
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
    };
  }

  #change(name: string, by: 1 | -1): void {
    const before = this.#counts.get(name) ?? 0;
    const after = before + by;
    if (after === 0) this.#counts.delete(name);
    else this.#counts.set(name, after);
    if ((before === 0) === (after === 0)) return;
    for (const listener of this.#listeners.get(name) ?? []) listener(after > 0);
    this.#onChange();
  }
}
