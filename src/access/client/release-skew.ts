/** Whether two versions of the program work together: the same major version, and at most one minor version apart. */
export function isNearRelease(one: string, other: string): boolean {
  const [a, b] = [releaseOf(one), releaseOf(other)];
  if (a === undefined || b === undefined) return false;
  return a.major === b.major && Math.abs(a.minor - b.minor) <= 1;
}

function releaseOf(version: string): { major: number; minor: number } | undefined {
  const match = /^(\d{1,6})\.(\d{1,6})\.\d/.exec(version);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}
