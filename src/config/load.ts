import { createHash } from 'node:crypto';
import { availableParallelism, totalmem } from 'node:os';
import { IntegrationsConfig } from '../schema/config/integrations.ts';
import { MAX_DEFAULT_AGENTS } from '../schema/config/limits.ts';
import { combinedNetwork } from '../schema/config/network.ts';
import { ownSandboxPaths } from '../schema/config/sandbox.ts';
import { Config } from '../schema/config.ts';
import { type ConfigIssue, refuseConfig } from './config-error.ts';
import { type ConfigLocation, type ConfigScope, configFile, readConfigText } from './files.ts';
import { mergeConfig, type Plain, valueAt } from './merge.ts';
import { type ParsedConfig, parseConfig } from './parse.ts';
import { ignoredNetwork, type SettingIgnored, tightenedBy, withSources } from './tighten.ts';
import { validationIssuesOf } from './validation-issue.ts';

const AGENTS_PER_CORE = 4;

const MEMORY_PER_AGENT = 1024 ** 3;

const MIN_AGENTS = 2;

/** The settings of one scope as its file has them. */
type ConfigLayer = ParsedConfig & { scope: ConfigScope };

export type ConfigOrigin = 'default' | ConfigScope;

/** Upper layers come last. */
export type LoadedConfig = { config: Config; layers: ConfigLayer[]; ignored: SettingIgnored[] };

/**
 * The settings in force: the project's over the global ones over the defaults; all errors are reported at once. Those of a
 * project, which runs record, have no addresses for messages and no integrations: these are the person's own.
 */
export async function loadConfig(location: ConfigLocation): Promise<Config> {
  const { config } = await loadLayers(location);
  return location.dir === undefined ? config : { ...config, notify: [], integrations: IntegrationsConfig.parse({}) };
}

/** The settings in force, with the layers they come from. */
export async function loadLayers(location: ConfigLocation): Promise<LoadedConfig> {
  const texts: LayerText[] = [];
  for (const scope of ['global', 'project'] as const) {
    const file = configFile(scope, location);
    const text = file === undefined ? undefined : await readConfigText(file);
    if (file !== undefined && text !== undefined) texts.push({ scope, file, text });
  }
  return combineLayers(texts);
}

export type LayerText = { scope: ConfigScope; file: string; text: string };

/** Validates texts as if they were their files: each alone first, then the combination. */
export function combineLayers(texts: readonly LayerText[]): LoadedConfig {
  const layers = texts.map(({ scope, file, text }) => ({ scope, ...parseConfig(text, file) }));
  const alone = layers.flatMap((layer) =>
    issuesIn(layer.value)
      .filter(({ about }) => about !== 'missing')
      .map(layer.locate),
  );
  if (alone.length > 0) refuseConfig(alone);
  const ignored: SettingIgnored[] = [];
  const merged = layers.reduce<Plain>((below, layer) => {
    const value = withSources(layer, below);
    if (layer.scope === 'global') return mergeConfig(below, value);
    const tightened = tightenedBy(below, value, hashOf(texts));
    ignored.push(...tightened.ignored);
    return mergeConfig(below, tightened.value);
  }, {});
  const { settings: network, ignored: ignoredNetwork } = networkOf(texts, layers);
  ignored.push(...ignoredNetwork);
  const of = (requested: ConfigScope) => layers.find(({ scope }) => scope === requested)?.value ?? {};
  const sandboxPaths = ownSandboxPaths(of('global'), of('project'));
  const together = Config.safeParse(
    { ...mergeConfig({ limits: { agents: defaultAgents() } }, merged), network, sandboxPaths },
    {
      reportInput: true,
    },
  );
  if (together.success) return { config: together.data, layers, ignored };
  return refuseConfig(validationIssuesOf(together.error.issues).flatMap((issue) => locateDeepest(layers, issue)));
}

/** Which hosts programs may reach depends on which of the two files names them, and whether the person trusts it. */
function networkOf(texts: readonly LayerText[], layers: readonly ConfigLayer[]) {
  const own = layers.find(({ scope }) => scope === 'global')?.value ?? {};
  const project = layers.find(({ scope }) => scope === 'project')?.value;
  const settings = combinedNetwork(own, project, hashOf(texts));
  return { settings, ignored: ignoredNetwork(settings, valueAt(project, ['network', 'mode'])) };
}

/** The hash by which the person may trust the project's file. */
function hashOf(texts: readonly LayerText[]): string {
  const text = texts.find(({ scope }) => scope === 'project')?.text ?? '';
  return createHash('sha256').update(text).digest('hex');
}

/** Where the value at a path comes from; not from a project's file whose value has no effect. */
export function originOf({ layers, ignored }: Omit<LoadedConfig, 'config'>, path: readonly string[]): ConfigOrigin {
  const isIgnored = ignored.some(({ key }) => `${path.join('.')}.`.startsWith(`${key}.`));
  const inForce = layers.filter(({ scope }) => scope === 'global' || !isIgnored);
  return inForce.findLast(({ value }) => valueAt(value, path) !== undefined)?.scope ?? 'default';
}

function issuesIn(value: Plain) {
  const parsed = Config.safeParse(value, { reportInput: true });
  return parsed.success ? [] : validationIssuesOf(parsed.error.issues);
}

function locateDeepest(layers: readonly ConfigLayer[], issue: Parameters<ParsedConfig['locate']>[0]): ConfigIssue[] {
  const deepest = [...layers].sort((a, b) => b.depthOf(issue.path) - a.depthOf(issue.path))[0];
  return deepest === undefined ? [] : [deepest.locate(issue)];
}

/** How many attempts run at once where the settings do not say: more than the machine can serve only wait for each other. */
export function defaultAgents(machine = { cores: availableParallelism(), memoryBytes: totalmem() }): number {
  const byCores = machine.cores * AGENTS_PER_CORE;
  const byMemory = Math.floor(machine.memoryBytes / MEMORY_PER_AGENT);
  return Math.max(MIN_AGENTS, Math.min(MAX_DEFAULT_AGENTS, byCores, byMemory));
}
