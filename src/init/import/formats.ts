import { isPlain, type Plain } from '../../config/merge.ts';
import { CONFIG_TOML } from './config-toml.ts';
import type { Syntax } from './foreign-file.ts';
import type { KeyMapping } from './key-mapping.ts';
import { ORCHESTRATOR_JSON } from './orchestrator-json.ts';
import { ORCHESTRATOR_YAML, TASK_CONFIG } from './orchestrator-yaml.ts';
import { COST_GUARD, FOLDER_POLICY, LOCAL_POLICY, QUEUE_POLICY } from './policies.ts';
import { WRITE_SCOPE } from './write-scope.ts';

/** A file of another tool's settings: its path, and what becomes of its keys. */
export type ForeignFormat = {
  file: string;
  syntax: Syntax;
  keys: readonly KeyMapping[];
  /** Files that the tool reads where its settings name none. */
  defaults?: Readonly<Record<string, string>>;
  /** Tells a file of that tool from one that only has its name. */
  matches?(value: Plain): boolean;
};

const POLICIES = 'scripts/cc-orchestrator/config';

/** Every file that is read, in order: of two that set the same, the first counts. */
export const FORMATS: readonly ForeignFormat[] = [
  {
    file: '.orchestrator/config.json',
    syntax: 'yaml',
    keys: ORCHESTRATOR_JSON,
    defaults: { instructionsFile: 'ORCHESTRATOR.md', progressFile: '.orchestrator/progress.txt' },
  },
  { file: '.claude-orchestrator.yaml', syntax: 'yaml', keys: ORCHESTRATOR_YAML },
  { file: '.claude-orchestrator/config.toml', syntax: 'toml', keys: CONFIG_TOML },
  {
    file: 'config.toml',
    syntax: 'toml',
    keys: CONFIG_TOML,
    matches: hasAnyOf(['orchestrator', 'claude', 'codex', 'simple']),
  },
  { file: 'task_config.yaml', syntax: 'yaml', keys: TASK_CONFIG, matches: hasAnyOf(['settings', 'tasks']) },
  { file: '.claude-code-orchestrator/write-scope.json', syntax: 'yaml', keys: WRITE_SCOPE },
  {
    file: '.agent-workspace/claude-code-orchestrator/policies/folder-policy.json',
    syntax: 'yaml',
    keys: FOLDER_POLICY,
  },
  { file: `${POLICIES}/queue_policy.json`, syntax: 'yaml', keys: QUEUE_POLICY },
  { file: `${POLICIES}/cost_guard.json`, syntax: 'yaml', keys: COST_GUARD },
  { file: `${POLICIES}/local_policy.override.json`, syntax: 'yaml', keys: LOCAL_POLICY },
];

/** A file below the home folder, and the one of a project that takes precedence. */
export type HomeFormat = ForeignFormat & { below: string };

/** Files that tools keep for all projects of a person; whatever a project has counts before them. */
export const HOME_FORMATS: readonly HomeFormat[] = [
  {
    file: '.config/claude-orchestrator/config.yaml',
    syntax: 'yaml',
    keys: ORCHESTRATOR_YAML,
    below: '.claude-orchestrator.yaml',
  },
];

function hasAnyOf(sections: readonly string[]): (value: Plain) => boolean {
  return (value) => sections.some((section) => isPlain(value[section]) || Array.isArray(value[section]));
}
