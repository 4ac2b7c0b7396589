import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

type Answer = { result?: Record<string, unknown>; error?: { message: string } };
/** What a tool returned: its value, its note, and whether it is a failure. */
export type Called = { value: unknown; text: string; note: string; isError: boolean };

/** A client of an MCP server that is a program, as an assistant has it. */
export class McpClient implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  constructor(command: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
    const [program = '', ...args] = command;
    this.#child = spawn(program, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#child.stdout ?? process.stdin });
    lines.on('line', (line) => {
      const answer = JSON.parse(line) as Answer & { id?: number };
      this.#waiting.get(answer.id ?? 0)?.(answer);
    });
    this.#child.once('exit', () => {
      for (const resolve of this.#waiting.values()) resolve({ error: { message: 'the server has ended' } });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async initialize(): Promise<Record<string, unknown>> {
    const clientInfo = { name: 'test-assistant', version: '1' };
    const result = await this.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    this.#send({ method: 'notifications/initialized' });
    return result;
  }

  async request(method: string, params: object): Promise<Record<string, unknown>> {
    this.#last += 1;
    const id = this.#last;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#send({ id, method, params });
    const { result, error } = await answer;
    if (result === undefined) throw new Error(error?.message);
    return result;
  }

  async call(name: string, input: object = {}): Promise<Called> {
    const result = await this.request('tools/call', { name, arguments: input });
    const [text = '', note = ''] = (result.content as { text: string }[]).map((part) => part.text);
    const isError = result.isError === true;
    return { value: isError ? text : JSON.parse(text), text, note, isError };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await ended;
  }

  #send(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
