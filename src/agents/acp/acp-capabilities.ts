import { z } from 'zod';
import type { Permission } from '../../schema/config/agent.ts';
import type { Access } from '../../schema/task.ts';

const Offered = z
  .unknown()
  .optional()
  .transform((value) => value !== undefined && value !== null && value !== false);

/** The agent's answer to `initialize`. */
export const InitializeResult = z.looseObject({
  agentInfo: z.looseObject({ name: z.string() }).nullish().catch(undefined),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().default(false),
      mcpCapabilities: z.looseObject({ http: z.boolean().default(false) }).prefault({}),
      sessionCapabilities: z.looseObject({ resume: Offered, additionalDirectories: Offered }).prefault({}),
    })
    .prefault({}),
});
export type InitializeResult = z.infer<typeof InitializeResult>;

const Mode = z.looseObject({ id: z.string() });
const ConfigOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  options: z
    .array(z.looseObject({ value: z.string() }))
    .default([])
    .catch([]),
});

/** The modes, models and options of a session, sent when it is opened. */
export const SessionOptions = z.looseObject({
  sessionId: z.string().optional(),
  modes: z
    .looseObject({ currentModeId: z.string(), availableModes: z.array(Mode) })
    .nullish()
    .catch(undefined),
  models: z
    .looseObject({
      currentModelId: z.string().nullish(),
      availableModels: z.array(z.looseObject({ modelId: z.string() })),
    })
    .nullish()
    .catch(undefined),
  configOptions: z.array(ConfigOption).nullish().catch(undefined),
});
export type SessionOptions = z.infer<typeof SessionOptions>;

/** Modes in which an agent requests permission before it acts, or runs in its own sandbox; a planning mode comes last. */
const READING = ['read-only', 'default', 'ask', 'plan'];
const WRITING: Readonly<Record<Permission, readonly string[]>> = {
  default: ['default', 'ask', 'read-only'],
  dontAsk: ['default', 'ask', 'read-only'],
  acceptEdits: ['default', 'ask', 'workspace-write', 'read-only'],
  bypass: ['default', 'ask', 'agent-full-access', 'read-only'],
  plan: READING,
};

/** The mode to switch to, if the session offers a more suitable one than its current mode. */
export function chooseMode(
  { modes }: SessionOptions,
  { access, permission }: { access: Access; permission: Permission },
): string | undefined {
  if (!modes) return undefined;
  const preferred = access === 'read' ? READING : WRITING[permission];
  const found = preferred.find((id) => modes.availableModes.some((mode) => mode.id === id));
  return found === modes.currentModeId ? undefined : found;
}

/** How a model is selected in a session. */
export type ModelChoice =
  | { kind: 'current' }
  | { kind: 'model'; modelId: string }
  | { kind: 'option'; configId: string; value: string }
  | { kind: 'missing' };

/** Finds a model by name; where an agent lists one model per effort in brackets, the first of them is used. */
export function chooseModel({ models, configOptions }: SessionOptions, requested: string): ModelChoice {
  const isRequested = (name: string) => name === requested || name.startsWith(`${requested}[`);
  if (isRequested(models?.currentModelId ?? '')) return { kind: 'current' };
  for (const option of configOptions ?? []) {
    const value =
      option.category === 'model' ? option.options.find((each) => isRequested(each.value))?.value : undefined;
    if (value !== undefined) return { kind: 'option', configId: option.id, value };
  }
  const modelId = models?.availableModels.find((model) => isRequested(model.modelId))?.modelId;
  return modelId === undefined ? { kind: 'missing' } : { kind: 'model', modelId };
}
