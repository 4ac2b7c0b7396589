import type { Feature, FeaturesInput } from '../../schema/work-file.ts';

/** A feature with the key of its work, which is its position in the file, and the keys of those it depends on in this run. */
export type SelectedFeature = { feature: Feature; key: string; needs: string[] };

const known = new WeakMap<FeaturesInput, SelectedFeature[]>();

/** The features to work on, each after those it depends on; finished ones only when they are named. */
export function selectedFeatures(input: FeaturesInput): SelectedFeature[] {
  const found = known.get(input);
  if (found !== undefined) return found;
  const only = input.only === undefined ? undefined : new Set(input.only);
  const keys = new Map<string, string>();
  const byId = new Map<string, Feature>();
  for (const [index, feature] of input.features.entries()) {
    const isOpen = feature.status === 'open' || feature.status === 'verifying';
    if (only === undefined ? !isOpen : !only.has(feature.id)) continue;
    keys.set(feature.id, `feature/${index + 1}`);
    byId.set(feature.id, feature);
  }
  const features = inOrder([...byId.values()], byId).map((feature) => ({
    feature,
    key: keys.get(feature.id) ?? '',
    needs: (feature.dependsOn ?? []).flatMap((id) => keys.get(id) ?? []),
  }));
  known.set(input, features);
  return features;
}

/** The order of the file, except for features that depend on later ones; a file with a cycle was refused. */
function inOrder(features: readonly Feature[], byId: ReadonlyMap<string, Feature>): Feature[] {
  const ordered = new Set<Feature>();
  const visited = new Set<Feature>();
  const pending = [...features].reverse();
  for (let feature = pending.pop(); feature !== undefined; feature = pending.pop()) {
    if (ordered.has(feature)) continue;
    const before = (feature.dependsOn ?? []).flatMap((id) => byId.get(id) ?? []).filter((need) => !ordered.has(need));
    if (before.length === 0 || visited.has(feature)) {
      ordered.add(feature);
      continue;
    }
    visited.add(feature);
    pending.push(feature, ...before.reverse());
  }
  return [...ordered];
}
