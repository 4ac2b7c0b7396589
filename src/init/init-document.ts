import { z } from 'zod';

/** What became of a key of another tool's settings. `held` lets agents do more, and is taken only when a person says so. */
export const ImportEntry = z.object({
  file: z.string(),
  key: z.string(),
  fate: z.enum(['mapped', 'held', 'ignored', 'unknown']),
  to: z.string().nullable(),
  note: z.string().nullable(),
});
export type ImportEntry = z.infer<typeof ImportEntry>;

/** A file that setting up touched, or would touch. */
export const InitFile = z.object({
  path: z.string(),
  action: z.enum(['written', 'updated', 'removed', 'unchanged', 'kept']),
  backup: z.string().nullable(),
  note: z.string().nullable(),
});
export type InitFile = z.infer<typeof InitFile>;

/** The result of running a proposed check once. */
const CheckProof = z.object({
  name: z.string(),
  run: z.string(),
  passed: z.boolean(),
  result: z.string(),
  /** The last lines of a check that did not pass. */
  output: z.array(z.string()),
  /** Whether the settings name it as a check after this. */
  isUsed: z.boolean(),
});
export type CheckProof = z.infer<typeof CheckProof>;

/** What `init` found, did, or with --dry-run would do. */
export const InitDocument = z.object({
  root: z.string(),
  dryRun: z.boolean(),
  detected: z
    .object({
      frameworks: z.array(z.object({ name: z.string(), folder: z.string() })),
      packageManagers: z.array(z.string()),
      monorepo: z.string().nullable(),
      checks: z.array(
        z.object({ name: z.string(), run: z.string(), isWanted: z.boolean(), missing: z.string().optional() }),
      ),
      setup: z.array(z.string()),
      privateFiles: z.array(z.string()),
      base: z.string().nullable(),
      forge: z
        .object({ remote: z.string(), host: z.string(), provider: z.string().nullable(), repo: z.string() })
        .nullable(),
    })
    .nullable(),
  files: z.array(InitFile),
  /** What an existing settings file does not say yet, as YAML. */
  missing: z.string().nullable(),
  imported: z.array(ImportEntry),
  notes: z.array(z.string()),
  /** With --prove: each check that was run. */
  proof: z.array(CheckProof).optional(),
  /** With --prove, where a check failed in a checkout without its dependencies: what installs them. */
  install: z.string().optional(),
});
export type InitDocument = z.infer<typeof InitDocument>;
