import type { Risk } from './risk.ts';

/** Commands that destroy what cannot be got back, or reach past the workspace. */
const DESTRUCTIVE: readonly RegExp[] = [
  /\brm\s+(-\w*\s+)*-\w*[rR]\w*\s+(-\w+\s+)*(\/(?!tmp\b|workspace)|~|\$HOME|\.\.\/)/,
  /\bgit\s+push\b[^|;&]*(--force(?!-with-lease)|\s-f\b|--mirror|--delete)/,
  /\bgit\s+(reflog\s+expire|gc\s+[^|;&]*--prune=now|filter-branch|filter-repo)\b/,
  /\b(mkfs(\.\w+)?|wipefs|shred)\b|\bdd\s+[^|;&]*\bof=\/dev\//,
  /\bDROP\s+(DATABASE|SCHEMA|TABLE)\b|\bTRUNCATE\s+TABLE\b/i,
  /\b(terraform|tofu)\s+destroy\b|\bkubectl\s+delete\b|\baws\s+s3\s+(rb|rm\s+[^|;&]*--recursive)\b/,
  /\bchmod\s+(-\w+\s+)*-?R?\w*\s*777\s+\/|\bsudo\s+rm\b|:\(\)\s*\{\s*:\|:&\s*\};:/,
  /\b(curl|wget)\b[^|;&]*\|\s*(sudo\s+)?(ba|z|da)?sh\b/,
];

export const destructiveCommand: Risk = {
  name: 'destructive-command',
  title: 'Destructive command',
  severity: 'high',
  find: ({ digest }) => {
    const command = digest.commands.find((text) => DESTRUCTIVE.some((pattern) => pattern.test(text)));
    return command === undefined ? undefined : `it ran: ${command.slice(0, 200)}`;
  },
};
