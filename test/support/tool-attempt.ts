import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Caller } from '../../src/access/caller.ts';
import { appears } from './appears.ts';
import { Follower, openCaller } from './caller.ts';
import { makeScratch, type Scratch } from './scratch.ts';

/** Names in a file where its tools are, keeps its prompt, and waits until that file is removed. */
const AGENT = `#!/bin/sh
cat >> "$HOME/prompts"
echo "$MANYHANDS_TOOLS" > "$HOME/tools.new" && mv "$HOME/tools.new" "$HOME/tools"
while [ -e "$HOME/tools" ]; do sleep 0.05; done
date +%N > made.txt
`;
const FILES = {
  'agent.sh': AGENT,
  '.manyhands/config.yaml': 'agents:\n  hand: { kind: command, command: ./agent.sh }\n',
};

/** What the file of an attempt says about its tools. */
export type ToolsFile = { socket: string; token: string; command: string[] };

/** A running attempt whose tools a test calls in the place of its agent. */
export class ToolAttempt implements AsyncDisposable {
  readonly project: Scratch;
  readonly caller: Caller;
  readonly run: string;
  readonly tools: ToolsFile;
  /** The path of the file with its tools. */
  readonly file: string;
  readonly #follower: Follower;

  private constructor(parts: Pick<ToolAttempt, 'project' | 'caller' | 'run' | 'tools' | 'file'>, follower: Follower) {
    this.project = parts.project;
    this.caller = parts.caller;
    this.run = parts.run;
    this.tools = parts.tools;
    this.file = parts.file;
    this.#follower = follower;
  }

  static async start(): Promise<ToolAttempt> {
    const project = await makeScratch({ files: FILES });
    const caller = await openCaller(project);
    const follower = new Follower(caller);
    const options = { dir: project.repo };
    const { run } = await caller.call('start-run', { recipe: 'job', input: { task: 'work' }, options });
    await appears(join(project.root, 'tools'));
    const file = readFileSync(join(project.root, 'tools'), 'utf8').trim();
    return new ToolAttempt({ project, caller, run, file, tools: JSON.parse(readFileSync(file, 'utf8')) }, follower);
  }

  /** Calls a tool with the attempt's token. */
  call(tool: string, args: unknown = {}, call: string = crypto.randomUUID()): Promise<unknown> {
    return ask(this.tools.socket, tool, { token: this.tools.token, call, arguments: args });
  }

  /** Lets the agent end its turn. */
  endTurn(): void {
    rmSync(join(this.project.root, 'tools'));
  }

  /** Lets the agent end, and waits for the end of its run. */
  async end(): Promise<void> {
    this.endTurn();
    await this.#follower.run((each) => each.run === this.run && each.status !== 'running');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#follower[Symbol.asyncDispose]();
    await this.caller[Symbol.asyncDispose]();
    await this.project[Symbol.asyncDispose]();
  }
}

/** What a socket answers to one call; undefined where it disconnects. */
export function ask(path: string, operation: string, input: unknown): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const socket = connect(path);
  const lines = createInterface({ input: socket });
  lines.on('error', () => resolve(undefined));
  lines.on('line', (line) => {
    const answer: unknown = JSON.parse(line);
    if (typeof answer === 'object' && answer !== null && 'id' in answer) resolve(answer);
  });
  socket.on('error', () => resolve(undefined)).on('close', () => resolve(undefined));
  socket.write(requestLines([{ id: 1, operation, input }]));
  return promise.finally(() => socket.destroy());
}

/** The first line of a client, and one line for each request. */
export function requestLines(requests: readonly { id: number; operation: string; input: unknown }[]): string {
  return ['{"manyhands":1}', ...requests.map((each) => JSON.stringify({ type: 'ask', ...each })), ''].join('\n');
}
