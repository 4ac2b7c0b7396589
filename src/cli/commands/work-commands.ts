import type { RegisteredCommand } from './registered-command.ts';

/** The commands that ask for work, in the order of the help. */
export const WORK: readonly RegisteredCommand[] = [
  {
    name: 'do',
    group: 'Work',
    summary: 'turn a goal into a plan, parallel work and one checked result',
    load: async () => (await import('./work/do.ts')).doCommand,
  },
  {
    name: 'job',
    group: 'Work',
    summary: 'give one task to one agent',
    load: async () => (await import('./work/job.ts')).jobCommand,
  },
  {
    name: 'review',
    group: 'Work',
    summary: 'review pull requests: read, check, mend, approve or merge',
    load: async () => (await import('./work/review.ts')).reviewCommand,
  },
  {
    name: 'run',
    group: 'Work',
    summary: 'do the work that a file describes: features, tasks, items, a workflow',
    load: async () => (await import('./work/run.ts')).runCommand,
  },
  {
    name: 'plan',
    group: 'Work',
    summary: 'turn a to-do list or a goal into a file of tasks to read',
    load: async () => (await import('./work/plan.ts')).planCommand,
  },
  {
    name: 'yolo',
    group: 'Work',
    summary: 'from a to-do list straight through to pull requests',
    load: async () => (await import('./work/yolo.ts')).yoloCommand,
  },
  {
    name: 'bulk',
    group: 'Work',
    summary: 'many small independent edits: scan, run, retry what failed',
    load: async () => (await import('./work/bulk.ts')).bulkCommand,
  },
  {
    name: 'check',
    group: 'Work',
    summary: 'read a work file and say what it is, or what is wrong with it',
    load: async () => (await import('./work/check.ts')).checkCommand,
  },
  {
    name: 'batch',
    group: 'Work',
    summary: 'keep lists of prompts, and do each as a job',
    load: async () => (await import('./work/batch.ts')).batchCommand,
  },
  {
    name: 'template',
    group: 'Work',
    summary: 'keep guidelines and defaults for jobs, and see how they did',
    load: async () => (await import('./work/template.ts')).templateCommand,
  },
  {
    name: 'resume',
    group: 'Work',
    summary: 'go on with a run, or with all unfinished ones',
    load: async () => (await import('./work/resume.ts')).resumeCommand,
  },
];
