import { availableParallelism, totalmem } from 'node:os';
import { type combinedNetwork, isTrustedFile, trustText } from '../schema/config/network.ts';
import { completeResources, ResourcesConfig } from '../schema/config/resources.ts';
import { isTighterSandbox } from '../schema/config/sandbox.ts';
import type { ConfigScope } from './files.ts';
import { isPlain, type Plain } from './merge.ts';
import type { ParsedConfig } from './parse.ts';

/** A setting of a project's file that has no effect, because only the person's own settings may say so. */
export type SettingIgnored = { key: string; reason: string };

/** Settings that send data out, or name what programs may see besides their task. */
const ONLY_OWN: Readonly<Record<string, string>> = {
  sandboxPaths: 'it shows programs more of this machine',
  notify: 'it sends data out',
  errors: 'it sends data out',
  integrations: 'it sends data out',
  hosts: 'it sends data out',
  assistant: 'it decides what the assistant of a person may do',
};

/** Variables of an agent that decide which folders of this machine a sandbox shows, or where a vendor's program sends its requests. */
const OF_PERSON =
  /^(HOME|PATH|CLAUDE_CONFIG_DIR|CODEX_HOME|GEMINI_CLI_HOME|NVM_DIR|PYENV_ROOT|RUSTUP_HOME|GOROOT|VOLTA_HOME|JAVA_HOME|XDG_\w+|\w*_(BASE_URL|ENDPOINT)|(HTTPS?|ALL)_PROXY)$/i;

/** Variables by which shells, perl and the system's loader start something else before there is a sandbox. */
const OF_LOADER =
  /^(LD_\w+|DYLD_\w+|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|PERL\w*|BASH_ENV|BASH_FUNC_.*|ENV|SHELLOPTS|BASHOPTS|PS4)$/;

const GIT_CONFIG = '.git/config';

const LOOSER = 'the file of a project can only make it tighter';
const DOCKER =
  'its commands would run outside of the sandbox, with access to Docker; it counts once your own settings trust the file';
const HOSTS = 'hosts count once you trust the file by its hash (trust), and addresses only in your own settings';

/** What of a project's settings takes effect: nothing that loosens the person's own (`below`), and nothing that sends data out. `hash` is that of the project's file, by which the person may trust it. */
export function tightenedBy(below: Plain, project: Plain, hash: string): { value: Plain; ignored: SettingIgnored[] } {
  const ignored: SettingIgnored[] = [];
  const value = { ...project };
  const drop = (key: string, reason: string) => {
    delete value[key];
    ignored.push({ key, reason });
  };
  for (const [key, reason] of Object.entries(ONLY_OWN)) if (key in value) drop(key, reason);
  if ('sandbox' in value && !isTighterSandbox(value.sandbox, below.sandbox)) {
    if (value.sandbox !== (below.sandbox ?? 'auto')) drop('sandbox', LOOSER);
    else delete value.sandbox;
  }
  if (
    isPlain(value.workspace) &&
    'docker' in value.workspace &&
    !isTrustedFile(below, hash) &&
    below.sandbox !== 'off'
  ) {
    const { docker: _, ...others } = value.workspace;
    value.workspace = others;
    ignored.push({ key: 'workspace.docker', reason: `${DOCKER}: ${trustText(hash)}` });
  }
  if (isPlain(value.trust) && GIT_CONFIG in value.trust) {
    const { [GIT_CONFIG]: _, ...others } = value.trust;
    value.trust = others;
    ignored.push({ key: `trust.${GIT_CONFIG}`, reason: 'git runs the filters of that file outside of every sandbox' });
  }
  if (isPlain(value.agents)) value.agents = tighterAgents(value.agents, ignored);
  if (isPlain(value.resources)) value.resources = tighterResources(value.resources, below.resources, ignored);
  if (isPlain(value.approve) && confirmOf(below) !== 'off' && confirmOf(value) === 'off') drop('approve', LOOSER);
  return { value, ignored };
}

/** What of a project's network settings has no effect: a mode that is not the one in force, and hosts that do not count. */
export function ignoredNetwork(inForce: ReturnType<typeof combinedNetwork>, mode: unknown): SettingIgnored[] {
  const isLooser = mode !== undefined && mode !== (inForce.mode ?? 'listed');
  return [
    ...(isLooser ? [{ key: 'network.mode', reason: LOOSER }] : []),
    ...(inForce.derived.ignored.length > 0 ? [{ key: 'network.allow', reason: HOSTS }] : []),
  ];
}

/** The rules of a layer with where they come from, after those of the layers below: lists of rules do not replace each other. */
export function withSources(layer: ParsedConfig & { scope: ConfigScope }, below: Plain): Plain {
  const rules = layer.value.policy;
  if (!Array.isArray(rules)) return layer.value;
  const own = rules.map((rule: unknown, index) => {
    const { file, line } = layer.locate({ path: ['policy', index], reason: '', about: 'value' });
    return isPlain(rule) ? { ...rule, source: `policy[${index}] in ${file}:${line}`, from: layer.scope } : rule;
  });
  return { ...layer.value, policy: [...(Array.isArray(below.policy) ? below.policy : []), ...own] };
}

/** The agents of a project's file without other logins, and without variables that only the person's own settings may set. */
function tighterAgents(agents: Plain, ignored: SettingIgnored[]): Plain {
  const tighter = Object.entries(agents).map(([name, agent]) => {
    if (!isPlain(agent)) return [name, agent];
    const { accounts, env, ...rest } = agent;
    if (accounts !== undefined)
      ignored.push({ key: `agents.${name}.accounts`, reason: 'it names logins of this machine' });
    const variables = Object.entries(isPlain(env) ? env : {});
    const dropped = variables.flatMap(([variable]) => {
      const reason = reasonToDrop(variable);
      return reason === undefined ? [] : [{ variable, reason }];
    });
    ignored.push(...dropped.map(({ variable, reason }) => ({ key: `agents.${name}.env.${variable}`, reason })));
    const kept = variables.filter(([variable]) => reasonToDrop(variable) === undefined);
    return [name, { ...rest, ...(env === undefined ? {} : { env: isPlain(env) ? Object.fromEntries(kept) : env }) }];
  });
  return Object.fromEntries(tighter);
}

function reasonToDrop(variable: string): string | undefined {
  if (OF_PERSON.test(variable)) return 'it decides what of this machine a program sees, or where it sends data';
  return OF_LOADER.test(variable) ? 'it decides what is loaded before the sandbox of the agent starts' : undefined;
}

/** The limits of a project's file that are not above the person's own, or above the default where they name none. */
function tighterResources(project: Plain, below: unknown, ignored: SettingIgnored[]): Plain {
  const machine = { memoryBytes: totalmem(), processors: availableParallelism() };
  const limits: Plain = completeResources(ResourcesConfig.parse(isPlain(below) ? below : {}), machine);
  const kept = Object.entries(project).filter(([key, value]) => Number(value) <= Number(limits[key]));
  const raised = Object.keys(project).filter((key) => !kept.some(([name]) => name === key));
  ignored.push(...raised.map((key) => ({ key: `resources.${key}`, reason: LOOSER })));
  return Object.fromEntries(kept);
}

function confirmOf({ approve }: Plain): unknown {
  return isPlain(approve) ? (approve.confirm ?? 'off') : 'off';
}
