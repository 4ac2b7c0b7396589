const OLDEST = [22, 18];

/** Whether a Node of this version can run the program. */
export function isFitting(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}
