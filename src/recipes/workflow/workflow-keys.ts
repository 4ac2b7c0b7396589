import { z } from 'zod';
import { WorkflowGate, WorkflowNode } from '../../schema/work-file.ts';
import { keysOf } from '../../work-files/checked.ts';
import { FileId, FileLabels, oneOrMany } from '../../work-files/listed.ts';
import type { Path } from '../../work-files/source.ts';

const Paths = z.array(z.string().min(1, 'must not be empty').max(4096));

/** A node as workflow files write it. */
export const FileNode = z.object({
  id: FileId.optional(),
  title: WorkflowNode.shape.title,
  type: z.enum(['worker', 'gate']).default('worker'),
  role: z.string().optional(),
  needs: oneOrMany(FileId).optional(),
  task: WorkflowNode.shape.task.optional(),
  outputs: oneOrMany(z.string().min(1).max(200)).optional(),
  allow_write: z.boolean().optional(),
  write_scope: z.unknown().optional(),
  agent: WorkflowNode.shape.agent,
  tier: WorkflowNode.shape.tier,
  labels: FileLabels,
  condition: z.string().optional(),
  loop: z.object({ max: z.number().int().min(1).max(100), until: z.string().min(1) }).optional(),
  timeout_seconds: WorkflowNode.shape.timeoutSeconds,
  attempts: WorkflowNode.shape.attempts,
  output_schema: WorkflowNode.shape.outputSchema,
  pass_when: oneOrMany(WorkflowGate.shape.passWhen.element).optional(),
  on_fail: z.unknown().optional(),
});
export type FileNode = z.infer<typeof FileNode>;

/** A node with its id and its path in the file. */
export type Entry = { id: string; at: Path; node: FileNode };

export const FileScope = z.object({
  allow: Paths,
  deny: Paths.default([]),
  max_diff_lines: z.number().int().positive().optional(),
});

export const FileOnFail = z.object({
  retry: FileId.optional(),
  max_retries: z.number().int().min(0).max(20).optional(),
});

/** The defaults of nodes. */
export const FileDefaults = z.object({
  timeout_seconds: WorkflowNode.shape.timeoutSeconds,
  allow_write: z.boolean().optional(),
  agent: WorkflowNode.shape.agent,
  tier: WorkflowNode.shape.tier,
  labels: FileLabels,
  attempts: WorkflowNode.shape.attempts,
});
export type FileDefaults = z.infer<typeof FileDefaults>;

export const FileWorkflow = z.object({
  id: z.string().optional(),
  name: z.string().trim().min(1).max(200).optional(),
  description: z.string().optional(),
  loop_guard: z.number().int().min(1).max(500).optional(),
  defaults: z.unknown().optional(),
  nodes: z.unknown(),
});

/** Known keys that are not used, with the reason. */
export const UNUSED_KEYS: Record<string, string> = {
  mock_status: 'it is only for a mock run; rehearse with --rehearse',
  mock_status_sequence: 'it is only for a mock run; rehearse with --rehearse',
  mock_missing_handoff: 'it is only for a mock run; rehearse with --rehearse',
  final_only: 'set it in the config as limits.output',
  max_output_bytes: 'set it in the config as limits.output',
  max_events_bytes: 'set it in the config as limits.output',
};

export const NODE_KEYS = [...keysOf(FileNode), ...Object.keys(UNUSED_KEYS)];
export const DEFAULTS_KEYS = [...keysOf(FileDefaults), ...Object.keys(UNUSED_KEYS)];
export const WORKFLOW_KEYS = [...keysOf(FileWorkflow), 'schema_version', '$schema'];
