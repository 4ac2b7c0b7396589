import { z } from 'zod';
import { Config } from './config.ts';

/** Settings as runs have them on record; keys that had another name when a run began are read under their present one. */
export const RecordedConfig = z.preprocess(withPresentNames, Config);

function withPresentNames(recorded: unknown): unknown {
  if (!isRecord(recorded) || !isRecord(recorded.limits) || !('outputBytes' in recorded.limits)) return recorded;
  const { outputBytes, ...limits } = recorded.limits;
  return { ...recorded, limits: { ...limits, output: { maxBytes: outputBytes } } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
