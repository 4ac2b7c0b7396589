import { fileURLToPath } from 'node:url';
import { geminiAgent } from '../../../src/agents/gemini/gemini.ts';
import { AgentConfig } from '../../../src/schema/config/agent.ts';

const DIR = fileURLToPath(new URL('../../fixtures/agents', import.meta.url));

/** A list on which the model of the fixture has a price, too. */
export const PRICES = {
  scripted: { input: 20_000, cached: 0, output: 60_000 },
  'gemini-2.5-flash': { input: 0.3, cached: 0.03, output: 2.5 },
};

type More = { env?: Record<string, string>; given?: Record<string, string> };

/** A Gemini whose program is the fixture. */
export function makeGemini(args: string[], more: More = {}) {
  const config = AgentConfig.parse({ kind: 'gemini', command: './gemini.mjs', args, env: more.given ?? {} });
  const env = { GEMINI_API_KEY: 'key', ...more.env };
  return geminiAgent({
    name: 'gemini',
    config,
    search: { dir: DIR, path: process.env.PATH ?? '' },
    env,
    prices: PRICES,
  });
}
