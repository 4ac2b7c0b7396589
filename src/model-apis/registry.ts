import { anthropicApi } from './anthropic.ts';
import { geminiApi } from './gemini.ts';
import type { ModelApi } from './model-api.ts';
import { openaiApi } from './openai.ts';

/** Every vendor that can be asked directly, in the order in which they are. */
export const MODEL_APIS: readonly ModelApi[] = [anthropicApi, openaiApi, geminiApi];
