import { anthropicApi } from './anthropic.ts';
import { geminiApi } from './gemini.ts';
import type { ModelApi } from './model-api.ts';
import { openaiApi } from './openai.ts';

/** Every vendor with a model API, in the order of preference. */
export const MODEL_APIS: readonly ModelApi[] = [anthropicApi, openaiApi, geminiApi];
