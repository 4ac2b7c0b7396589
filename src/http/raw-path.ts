/** Longer ones are no requests of ours. */
const MOST_CHARS = 8192;
/** Whoever stands in front of us may decode once before we do. */
const DECODINGS = 2;

/** What is wrong with the target of a request as it came over the wire, before anything normalises it. */
export function mistakeInTarget(target: string | undefined): string | undefined {
  if (target === undefined || !target.startsWith('/') || target.startsWith('//'))
    return 'The path does not begin with one slash';
  if (target.length > MOST_CHARS) return `The path is longer than ${MOST_CHARS} characters`;
  const end = target.search(/[?#]/);
  let path = end < 0 ? target : target.slice(0, end);
  for (let decoding = 0; decoding <= DECODINGS; decoding += 1) {
    if (climbs(path)) return 'The path climbs out of its folder';
    const decoded = decode(path);
    if (decoded === undefined) return decoding === 0 ? 'The path is not percent-encoded UTF-8' : undefined;
    path = decoded;
  }
  return undefined;
}

function climbs(path: string): boolean {
  if (/[\\\p{Cc}]/u.test(path)) return true;
  return path.split('/').some((segment) => segment === '.' || segment === '..');
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not an encoding: the caller says so, or takes it as it stands.
    return undefined;
  }
}
