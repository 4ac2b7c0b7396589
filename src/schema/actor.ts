import { z } from 'zod';

/** The entry point through which an operation was called; `engine` for decisions of Manyhands itself. */
const EntryPoint = z.enum(['cli', 'http', 'mcp', 'engine']);

/** Who acts: a person (by the name of their token, or of their account on this machine), the assistant of a person (by the name of its program), an agent in its attempt, or the engine. */
const Actor = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), name: z.string() }),
  z.object({ kind: z.literal('assistant'), name: z.string(), person: z.string() }),
  z.object({ kind: z.literal('agent'), attempt: z.string() }),
  z.object({ kind: z.literal('engine') }),
]);

/** Who caused an event, and through which entry point. */
export const Origin = z.object({ actor: Actor, via: EntryPoint });
export type Origin = z.infer<typeof Origin>;

/** The origin of events that no person or agent caused. */
export const BY_ENGINE: Origin = { actor: { kind: 'engine' }, via: 'engine' };
