import type { Field } from './field.ts';
import { isSchema } from './json-schema.ts';

/** The initial value of a new list or map row. */
export function blankValue(field: Field): unknown {
  switch (field.kind) {
    case 'group':
    case 'map':
      return {};
    case 'list':
      return [];
    case 'switch':
      return false;
    case 'choice':
      return field.options[0] ?? '';
    case 'union':
      return field.branches[0] === undefined ? '' : blankValue(field.branches[0].field);
    case 'json':
      return null;
    default:
      return '';
  }
}

/** The index of the union branch that a value belongs to; -1 if there is no value. */
export function branchOf(branches: readonly { field: Field }[], value: unknown): number {
  if (value === undefined) return -1;
  return branches.findIndex(({ field }) => matchesField(field, value));
}

function matchesField(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'group':
      return isSchema(value) && Object.keys(value).every((key) => field.entries.some((entry) => entry.key === key));
    case 'map':
      return isSchema(value);
    case 'list':
      return Array.isArray(value);
    case 'switch':
      return typeof value === 'boolean';
    case 'number':
    case 'duration':
    case 'date-time':
      return typeof value === 'number';
    case 'text':
      return typeof value === 'string';
    case 'choice':
      return typeof value === 'string' && field.options.includes(value);
    default:
      return true;
  }
}
