import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { operationOf, reasonForNoTool, toolsFor } from '../../src/mcp/tool.ts';
import { OPERATIONS, STREAMS } from '../../src/operations/all.ts';

const AGENT = { role: 'attempt', access: 'write' } as const;
const READER = { role: 'attempt', access: 'read' } as const;

describe('tools from operations', () => {
  it('offers every operation as a tool, or says why not', () => {
    const names = new Set(
      ['viewer', 'operator', 'attempt'].flatMap((role) => toolsFor({ role } as never)).map(({ name }) => name),
    );
    for (const name of Object.keys(OPERATIONS))
      expect(names.has(name.replaceAll('-', '_')) || reasonForNoTool(name) !== undefined, name).toBe(true);
    for (const name of Object.keys(STREAMS)) expect(reasonForNoTool(name), name).toBeDefined();
  });

  it('has valid names and object schemas, with a sentence for each tool', () => {
    for (const { name, description, inputSchema } of [...toolsFor(AGENT), ...toolsFor({ role: 'operator' })]) {
      expect(name).toMatch(/^[a-z][a-z_]{0,63}$/);
      expect(description.length, name).toBeGreaterThan(10);
      expect(inputSchema.type, name).toBe('object');
    }
  });

  it('waits at most 90 seconds in a call of an agent', () => {
    const waiting = toolsFor(AGENT).flatMap(({ name, inputSchema }) => {
      const seconds = (inputSchema.properties as Record<string, unknown>).seconds;
      return seconds === undefined ? [] : [[name, seconds]];
    });
    expect(waiting).toEqual(
      ['ask_user', 'lock_files', 'wait_for_tasks', 'watch_notes'].map((name) => [
        name,
        expect.objectContaining({ default: 90, minimum: 0, maximum: 90 }),
      ]),
    );
  });

  it('does not show an agent the fields that its token fills in', () => {
    for (const { name, inputSchema } of toolsFor(AGENT)) {
      const shown = Object.keys(inputSchema.properties ?? {});
      for (const field of ['run', 'task', 'attempt', 'call']) expect(shown, name).not.toContain(field);
      expect(inputSchema.required, name).not.toContain('run');
    }
  });

  it('gives an agent no operation of a person, and a person no tool of an agent', () => {
    expect(operationOf('approve_run', AGENT)).toBeUndefined();
    expect(operationOf('write_note', { role: 'operator' })).toBeUndefined();
    expect(operationOf('write_note', AGENT)).toBe('write-note');
    expect(toolsFor(READER).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['list_notes', 'read_note', 'watch_notes', 'write_note']),
    );
  });

  it('has what the docs name for each of the 67 tools of the controller skill', () => {
    const page = readFileSync(new URL('../../docs/how-to/use-an-assistant.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(cc_\w+)` \| (.*) \|$/gm)];
    expect(new Set(rows.map(([, name]) => name)).size).toBe(67);
    const tools = new Set(toolsFor({ role: 'operator' }).map(({ name }) => name));
    const named = rows.flatMap(([, , text = '']) => [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name));
    expect(named.filter((name) => !tools.has(name ?? ''))).toEqual([]);
  });
});
