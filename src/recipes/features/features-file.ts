import { z } from 'zod';
import { Feature, FeatureStatus, type FeaturesInput } from '../../schema/work-file.ts';
import { checked, keysOf, noteUnusedKeys, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import { checkGraph, type GraphNode, looseNode } from '../../work-files/graph-check.ts';
import { FileId, FileLabels, oneOrMany } from '../../work-files/listed.ts';
import { isRecord, type Path } from '../../work-files/source.ts';
import { plannedTitle, type RecipeWorkFile } from '../recipe-work-file.ts';
import { trackOf, tracksOf } from './tracks.ts';

const FileFeature = z.object({
  id: FileId,
  category: Feature.shape.category.default('general'),
  name: Feature.shape.name,
  description: Feature.shape.description.default(''),
  steps: Feature.shape.steps.default([]),
  status: FeatureStatus.default('open'),
  dependsOn: oneOrMany(FileId).optional(),
  depends_on: oneOrMany(FileId).optional(),
  agent: Feature.shape.agent,
  labels: FileLabels,
});

/** Known keys that the other tool writes about its own runs. */
const UNUSED_KEYS: Record<string, string> = {
  failure_reason: 'each run finds its own reasons',
  failure_category: 'each run finds its own reasons',
  progress: 'manyhands show has the progress of a run',
};
const KNOWN = [...keysOf(FileFeature), ...Object.keys(UNUSED_KEYS)];
const MAX_ENTRIES = 10_000;

/** features.json: a list of features, or a map with the list under `features`. */
export const featuresWorkFile: RecipeWorkFile<FeaturesInput> = {
  formats: [
    {
      format: 'features',
      keys: ['features'],
      matches: (content) => Array.isArray(content) || (isRecord(content) && 'features' in content),
      read: (reading, { file }) => ({ input: readFeatures(reading, file ?? null) }),
    },
  ],
  noun: ['feature', 'features'],
  includesNeeds: false,
  ids: ({ features }) => features.map(({ id }) => id),
  plan: ({ features, only }, config) => {
    const tracks = tracksOf(config);
    return features
      .filter(({ status }) => only !== undefined || status === 'open' || status === 'verifying')
      .map(({ id, name, category, steps, dependsOn, agent, labels }) => {
        const track = trackOf(tracks, category);
        const who = agent ?? track.agent;
        return {
          id,
          title: plannedTitle(name),
          role: 'implement',
          needs: dependsOn ?? [],
          gates: [`verify: ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`],
          tasks: 2,
          track: track.name,
          ...(who === undefined ? {} : { agent: who }),
          ...(labels === undefined ? {} : { labels }),
        };
      });
  },
};

function readFeatures(reading: Reading, file: string | null): FeaturesInput {
  if (file === null) reading.notes.add('The status of features is not written back: the file is not in the project.');
  const { value } = reading.source;
  const wrapped = isRecord(value);
  const base: Path = wrapped ? ['features'] : [];
  if (wrapped) reportUnknownKeys(reading, { path: [], value, known: ['features', '$schema'], foreign: true });
  const list = checked(
    reading,
    { path: base, value: wrapped ? value.features : value },
    z.array(z.unknown()).min(1).max(MAX_ENTRIES),
  );
  const broken: GraphNode[] = [];
  const features = (list ?? []).flatMap((entry, index) => {
    const path = [...base, index];
    reportUnknownKeys(reading, { path, value: entry, known: KNOWN, foreign: true });
    noteUnusedKeys(reading, { path, value: entry }, { reasons: UNUSED_KEYS });
    const found = checked(reading, { path, value: entry }, FileFeature);
    if (found === undefined) broken.push(...looseNode(entry, path));
    return found === undefined
      ? []
      : [{ path, needsKey: found.dependsOn === undefined ? 'depends_on' : 'dependsOn', feature: toFeature(found) }];
  });
  checkGraph(
    reading,
    [
      ...features.map(({ path, needsKey, feature }) => ({
        id: feature.id,
        needs: feature.dependsOn ?? [],
        at: path,
        needsAt: [...path, needsKey],
      })),
      ...broken,
    ],
    list,
  );
  const passed = features.filter(({ feature }) => feature.status === 'passed').length;
  if (passed > 0) reading.notes.add(`${passed} of ${features.length} features passed already; they are not worked on.`);
  return { file, features: features.map(({ feature }) => feature) };
}

function toFeature({ dependsOn, depends_on, agent, labels, ...feature }: z.infer<typeof FileFeature>): Feature {
  const needs = dependsOn ?? depends_on;
  return {
    ...feature,
    ...(needs === undefined ? {} : { dependsOn: needs }),
    ...(agent === undefined ? {} : { agent }),
    ...(labels === undefined ? {} : { labels }),
  };
}
