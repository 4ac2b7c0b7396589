import { z } from 'zod';
import type { Permission } from '../../schema/config/agent.ts';
import type { Access } from '../../schema/task.ts';

const Offered = z
  .unknown()
  .optional()
  .transform((value) => value !== undefined && value !== null && value !== false);

/** What an agent says of itself when it is greeted. */
export const Greeting = z.looseObject({
  agentInfo: z.looseObject({ name: z.string() }).nullish().catch(undefined),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().default(false),
      mcpCapabilities: z.looseObject({ http: z.boolean().default(false) }).prefault({}),
      sessionCapabilities: z.looseObject({ resume: Offered, additionalDirectories: Offered }).prefault({}),
    })
    .prefault({}),
});
export type Greeting = z.infer<typeof Greeting>;

const Mode = z.looseObject({ id: z.string() });
const ConfigOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  options: z
    .array(z.looseObject({ value: z.string() }))
    .default([])
    .catch([]),
});

/** What a session offers when it is opened. */
export const Opened = z.looseObject({
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
export type Opened = z.infer<typeof Opened>;

/** Modes in which an agent asks us before it acts, or is held by a sandbox of its own; one that only plans is the last resort. */
const READING = ['read-only', 'default', 'ask', 'plan'];
const WRITING: Readonly<Record<Permission, readonly string[]>> = {
  default: ['default', 'ask', 'read-only'],
  dontAsk: ['default', 'ask', 'read-only'],
  acceptEdits: ['default', 'ask', 'workspace-write', 'read-only'],
  bypass: ['default', 'ask', 'agent-full-access', 'read-only'],
  plan: READING,
};

/** The mode to switch to, if the session offers a better one than it is in. */
export function chooseMode(
  { modes }: Opened,
  { access, permission }: { access: Access; permission: Permission },
): string | undefined {
  if (!modes) return undefined;
  const wanted = access === 'read' ? READING : WRITING[permission];
  const found = wanted.find((id) => modes.availableModes.some((mode) => mode.id === id));
  return found === modes.currentModeId ? undefined : found;
}

/** How a model is chosen in a session. */
export type ModelChoice =
  | { kind: 'current' }
  | { kind: 'model'; modelId: string }
  | { kind: 'option'; configId: string; value: string }
  | { kind: 'missing' };

/** Finds a model by name; agents that add how hard it thinks in brackets are taken at the first of these. */
export function chooseModel({ models, configOptions }: Opened, wanted: string): ModelChoice {
  const isWanted = (name: string) => name === wanted || name.startsWith(`${wanted}[`);
  if (isWanted(models?.currentModelId ?? '')) return { kind: 'current' };
  for (const option of configOptions ?? []) {
    const value = option.category === 'model' ? option.options.find((each) => isWanted(each.value))?.value : undefined;
    if (value !== undefined) return { kind: 'option', configId: option.id, value };
  }
  const modelId = models?.availableModels.find((model) => isWanted(model.modelId))?.modelId;
  return modelId === undefined ? { kind: 'missing' } : { kind: 'model', modelId };
}
