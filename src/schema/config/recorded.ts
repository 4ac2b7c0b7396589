/** Recorded settings with the current names of those that were renamed since. */
export function withPresentNames(recorded: unknown): unknown {
  if (!isRecord(recorded)) return recorded;
  const config = { ...recorded };
  if (isRecord(config.limits) && 'outputBytes' in config.limits) {
    const { outputBytes, ...limits } = config.limits;
    config.limits = { ...limits, output: { maxBytes: outputBytes } };
  }
  if (isRecord(config.workspace) && 'symlinkDirs' in config.workspace) {
    const { symlinkDirs, ...workspace } = config.workspace;
    config.workspace = { copyDirs: symlinkDirs, ...workspace };
  }
  return config;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
