import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelVendor } from '../../src/agents/agent.ts';
import type { ModelApi } from '../../src/model-apis/model-api.ts';
import { MODEL_APIS } from '../../src/model-apis/registry.ts';
import { realWorld } from '../../src/world.ts';
import type { Step } from '../real/model-server/step.ts';
import { closedAddress, type ModelServer, startModelServer } from '../real/model-server.ts';

const MODELS: Record<ModelVendor, string> = {
  anthropic: 'claude-haiku-4-5-20251001',
  openai: 'gpt-6-luna',
  gemini: 'gemini-3.1-flash-lite',
};
const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const ANSWER: Step = { call: [{ name: 'answer', args: { title: 'Mend it' } }], usage: { in: 1000, out: 100 } };
const NEVER = new AbortController().signal;

let server: ModelServer;
let count = 0;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function environment(base: string) {
  return {
    ANTHROPIC_API_KEY: 'key-a',
    ANTHROPIC_BASE_URL: base,
    OPENAI_API_KEY: 'key-o',
    OPENAI_BASE_URL: `${base}/v1`,
    GEMINI_API_KEY: 'key-g',
    GOOGLE_GEMINI_BASE_URL: base,
  };
}

function sendRequest(api: ModelApi, base: string, timeoutMs = 10_000) {
  const question = { model: MODELS[api.vendor], system: 'Name it.', text: 'A long request', schema: SCHEMA };
  return api.request(question, { env: environment(base), world: realWorld, timeoutMs }, NEVER);
}

async function performed(api: ModelApi, step: Step, timeoutMs?: number) {
  count += 1;
  const name = `${api.vendor}-${count}`;
  const answer = await sendRequest(api, server.scenario(name, [step]), timeoutMs);
  return { answer, requests: server.requests(name) };
}

describe.each(MODEL_APIS.map((api) => [api.vendor, api] as const))('%s, asked directly', (_, api) => {
  it('answers with the requested object, and reports its cost', async () => {
    const { answer, requests } = await performed(api, ANSWER);
    expect(answer).toMatchObject({
      kind: 'answered',
      output: { title: 'Mend it' },
      usage: { kind: 'known', inputTokens: 1000, outputTokens: 100, model: MODELS[api.vendor] },
    });
    expect(answer.usage.kind === 'known' && answer.usage.costUsd).toBeGreaterThan(0);
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ prompt: 'A long request', tools: ['answer'], isStream: false });
  });

  it('costs nothing when it refuses, and is not called again', async () => {
    const refusal = { fault: { kind: 'refusal', reason: 'rate-limit' } } as const;
    const { answer, requests } = await performed(api, refusal);
    expect(answer).toMatchObject({ kind: 'failed', usage: { kind: 'none' } });
    expect(requests).toHaveLength(1);
  });

  it('has unknown usage when it stops responding', async () => {
    const { answer } = await performed(api, { fault: { kind: 'silence' } }, 300);
    expect(answer).toMatchObject({ kind: 'failed', problem: 'no answer within 0.3 s', usage: { kind: 'unknown' } });
  });

  it.each(['malformed', 'html', 'empty', 'cut'] as const)('fails where its answer is %s', async (kind) => {
    const { answer } = await performed(api, { fault: { kind } });
    expect(answer).toMatchObject({ kind: 'failed', usage: { kind: 'unknown' } });
  });

  it('is charged for an answer in the wrong form', async () => {
    const { answer } = await performed(api, { say: 'I would rather talk.' });
    expect(answer).toMatchObject({ kind: 'failed', usage: { kind: 'known', outputTokens: 20 } });
  });

  it('costs nothing when the server is unreachable', async () => {
    expect(await sendRequest(api, await closedAddress())).toMatchObject({ kind: 'failed', usage: { kind: 'none' } });
  });

  it('has no key if the variable is empty', () => {
    expect(api.hasKey({ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GEMINI_API_KEY: '' })).toBe(false);
    expect(api.hasKey(environment('http://127.0.0.1'))).toBe(true);
  });
});
