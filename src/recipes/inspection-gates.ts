import type { Scope } from '../schema/config/scope.ts';
import type { Config } from '../schema/config.ts';
import type { GateSpec } from '../schema/gate.ts';

/** The gates by which the settings have the work of every task that writes looked into when an attempt ended. */
export function inspectionGates(config: Config): GateSpec[] {
  const { scope, secrets, syntax, cleanOutput } = config;
  const { unchecked, checkers } = syntax;
  return [
    ...scopeGates(scope),
    ...(secrets.off ? [] : [{ gate: 'secrets' as const, name: 'secrets', allow: secrets.allow }]),
    ...(syntax.all ? [{ gate: 'syntax' as const, name: 'syntax', files: [], unchecked, checkers }] : []),
    ...(cleanOutput ? [{ gate: 'clean-output' as const, name: 'clean-output' }] : []),
  ];
}

/** A scope as a gate; none when it forbids nothing. Several apply together, so that each only narrows the others. */
export function scopeGates({ allow, deny, maxChangedLines }: Scope): GateSpec[] {
  if (allow.length === 0 && deny.length === 0 && maxChangedLines === undefined) return [];
  const most = maxChangedLines === undefined ? {} : { maxChangedLines };
  return [{ gate: 'scope', name: 'scope', allow, deny, also: [], ...most }];
}
