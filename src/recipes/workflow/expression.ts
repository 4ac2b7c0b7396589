import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  EvaluationError,
  ParseError,
} from '@marcbachmann/cel-js';

/** Why an expression is not one, or could not be answered, and at which of its characters, counted from 1. */
type ExpressionFault = { ok: false; message: string; column: number };
export type ExpressionCheck = { ok: true; names: string[] } | ExpressionFault;
export type ExpressionAnswer = { ok: true; value: boolean } | ExpressionFault;

const LONGEST = 4_000;
const MAX_VALUES = 20_000;
const MAX_VALUE_DEPTH = 50;
const LIMITS = { maxAstNodes: 1_000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 8 };
const LOOPS = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Whether a text is a CEL expression that is true or false, and the names it refers to. */
export function checkExpression(text: string): ExpressionCheck {
  if (text.length > LONGEST) return fault(`longer than ${LONGEST} characters`, LONGEST);
  try {
    const parsed = environment().parse(text);
    const forbidden = findForbidden(parsed.ast, false);
    if (forbidden !== undefined) return forbidden;
    const { valid, type, error } = parsed.check();
    if (!valid) return faultOf(error);
    if (type !== 'bool' && type !== 'dyn') return fault(`gives ${type}, not true or false`, 0);
    return { ok: true, names: [...namesIn(parsed.ast, new Set())] };
  } catch (error) {
    return faultOf(error);
  }
}

/**
 * The value of an expression for plain JSON values. Null counts as false, whole numbers are CEL's `int`. Bounded: the size of the
 * text, of the values, no loop inside a loop, no regular expressions.
 */
export function evaluate(text: string, variables: Readonly<Record<string, unknown>>): ExpressionAnswer {
  const checked = checkExpression(text);
  if (!checked.ok) return checked;
  const values = toCel(variables, { left: MAX_VALUES }, 0);
  if (values === undefined)
    return fault(`the values it refers to are more than ${MAX_VALUES}, or nested too deeply`, 0);
  try {
    const value: unknown = environment().evaluate(text, isRecord(values) ? values : {});
    if (typeof value === 'boolean') return { ok: true, value };
    return value === null ? { ok: true, value: false } : fault(`gave ${nameOf(value)}, not true or false`, 0);
  } catch (error) {
    return faultOf(error);
  }
}

let shared: Environment | undefined;

function environment(): Environment {
  shared ??= createEnvironment();
  return shared;
}

function createEnvironment(): Environment {
  const cel = new Environment({ unlistedVariablesAreDyn: true, homogeneousAggregateLiterals: false, limits: LIMITS });
  const key = { name: 'key', type: 'string' };
  const get = { name: 'get', receiverType: 'map', returnType: 'dyn' };
  cel.registerFunction({ ...get, params: [key], handler: (map: unknown, name: unknown) => getFrom(map, name, null) });
  cel.registerFunction({ ...get, params: [key, { name: 'otherwise', type: 'dyn' }], handler: getFrom });
  cel.registerFunction('len(dyn): int', lengthOf);
  for (const [left, right] of [
    ['int', 'double'],
    ['double', 'int'],
  ]) {
    cel.registerOperator(`${left} + ${right}`, (a: unknown, b: unknown) => Number(a) + Number(b));
    cel.registerOperator(`${left} - ${right}`, (a: unknown, b: unknown) => Number(a) - Number(b));
    cel.registerOperator(`${left} * ${right}`, (a: unknown, b: unknown) => Number(a) * Number(b));
    cel.registerOperator(`${left} / ${right}`, (a: unknown, b: unknown) => Number(a) / Number(b));
  }
  return cel;
}

function getFrom(map: unknown, name: unknown, otherwise: unknown): unknown {
  if (typeof name !== 'string') return otherwise;
  if (map instanceof Map) return map.has(name) ? map.get(name) : otherwise;
  return isRecord(map) && Object.hasOwn(map, name) ? map[name] : otherwise;
}

function lengthOf(value: unknown): bigint {
  if (typeof value === 'string') return BigInt([...value].length);
  if (Array.isArray(value)) return BigInt(value.length);
  if (value instanceof Map) return BigInt(value.size);
  return BigInt(isRecord(value) ? Object.keys(value).length : 0);
}

/** A copy in which whole numbers are CEL's; undefined when there is more than the budget allows. */
function toCel(value: unknown, budget: { left: number }, depth: number): unknown {
  budget.left -= 1;
  if (budget.left < 0 || depth > MAX_VALUE_DEPTH) return undefined;
  if (Number.isSafeInteger(value)) return BigInt(Number(value));
  if (Array.isArray(value)) {
    const copy = value.map((entry) => toCel(entry ?? null, budget, depth + 1));
    return copy.includes(undefined) ? undefined : copy;
  }
  if (!isRecord(value)) return value ?? null;
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, entry] of Object.entries(value)) {
    const inner = toCel(entry ?? null, budget, depth + 1);
    if (inner === undefined) return undefined;
    copy[key] = inner;
  }
  return { ...copy };
}

function findForbidden(node: ASTNode, inLoop: boolean): ExpressionFault | undefined {
  const isLoop = node.op === 'rcall' && LOOPS.has(node.args[0]);
  if (isLoop && inLoop) return fault(`${String(node.args[0])} inside another loop is not allowed`, node.range.start);
  if ((node.op === 'rcall' || node.op === 'call') && node.args[0] === 'matches') {
    return fault('matches is not allowed: compare with ==, in, startsWith, endsWith or contains', node.range.start);
  }
  for (const child of childrenOf(node.args)) {
    const found = findForbidden(child, inLoop || isLoop);
    if (found !== undefined) return found;
  }
  return undefined;
}

function namesIn(node: ASTNode, bound: ReadonlySet<string>): Set<string> {
  if (node.op === 'id') return new Set(bound.has(node.args) ? [] : [node.args]);
  if (node.op === 'rcall' && LOOPS.has(node.args[0])) {
    const [, over, [variable, ...rest]] = node.args;
    const inner = new Set([...bound, ...(variable?.op === 'id' ? [variable.args] : [])]);
    return new Set([...namesIn(over, bound), ...rest.flatMap((part) => [...namesIn(part, inner)])]);
  }
  return new Set(childrenOf(node.args).flatMap((child) => [...namesIn(child, bound)]));
}

function childrenOf(args: unknown): ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(childrenOf);
  return isNode(args) ? [args] : [];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value && 'range' in value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number';
  return Array.isArray(value) ? 'a list' : 'a map';
}

function faultOf(error: unknown): ExpressionFault {
  if (error instanceof ParseError || error instanceof EvaluationError || error instanceof CelTypeError) {
    return fault(error.summary, error.range?.start ?? 0);
  }
  return fault(error instanceof Error ? error.message : String(error), 0);
}

function fault(message: string, offset: number): ExpressionFault {
  return { ok: false, message, column: offset + 1 };
}
