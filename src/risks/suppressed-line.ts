import type { Risk } from './risk.ts';

/** Comments, attributes and calls that keep a compiler, linter, coverage tool or test runner from reporting one place. */
const ONE_PLACE =
  /@ts-(?:ignore|expect-error)|eslint-disable-(?:next-)?line|biome-ignore\b(?!-all)|oxlint-disable-(?:next-)?line|prettier-ignore|#\s*noqa\b|#\s*type\s*:\s*ignore|#\s*pyright\s*:\s*ignore|#\s*pylint\s*:\s*disable|#\s*nosec\b|\/\/\s*nolint\b|\/\/\s*#nosec|#\[\s*(?:allow|expect)\s*\(|#\[\s*ignore\b|@SuppressWarnings|@Suppress\s*\(|#pragma\s+warning\s+disable|@phpstan-ignore|@psalm-suppress|rubocop\s*:\s*disable|swiftlint:disable|(?:istanbul|c8|v8)\s+ignore\b|#\s*pragma\s*:\s*no\s*cover|LCOV_EXCL|\b(?:it|test|describe|context|suite|specify)\.(?:skip|todo|fails|failing)\b|\bx(?:it|describe|context|test)\s*\(|\bskip\s*:\s*true|@?(?:pytest\.mark|unittest)\.(?:skip|xfail|expectedFailure)\w*|\bpytest\.(?:skip|xfail)\s*\(|@(?:Disabled|Ignore|Skip)\b|\bt\.Skip(?:Now|f)?\s*\(|\bmarkTestSkipped\b|\[\s*(?:Fact|Theory|Test)\s*\(\s*(?:Skip|Ignore)|@tag\s+:?skip/;
const GENERATED = /(^|\/)(dist|build|generated|__generated__|vendor)\/|\.(min|gen|generated)\./i;

/** A place that a check does not report any more: an error may be hidden there instead of fixed. */
export const suppressedLine: Risk = {
  name: 'suppressed-line',
  title: 'Report of a check suppressed',
  severity: 'medium',
  find: ({ added }) => {
    const found = added
      .filter(({ path }) => !GENERATED.test(path))
      .flatMap(({ path, lines }) => {
        return lines.filter((line) => ONE_PLACE.test(line)).map((line) => `${path}: ${line.trim().slice(0, 80)}`);
      });
    const more = found.length > 5 ? ` and ${found.length - 5} more` : '';
    return found.length === 0 ? undefined : `it suppressed reports of checks (${found.slice(0, 5).join('; ')}${more})`;
  },
};
