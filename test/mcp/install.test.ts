import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ASSISTANTS, type Assistant } from '../../src/mcp/install/assistants.ts';
import { findEntry, installEntry, uninstallEntry } from '../../src/mcp/install/install-entry.ts';
import { realWorld } from '../../src/world.ts';

const ENTRY = { command: '/a b/node', args: ['/c/manyhands.mjs', 'mcp'], env: { MANYHANDS_HOME: '/d "e"' } };
const MOVED = { ...ENTRY, command: '/new/node' };
/** What the settings may look like before; the last is that of a fresh assistant. */
const JSON_BEFORE = [
  '{}',
  '{\r\n\t"a": [1, 2], // kept\r\n\t"mcpServers": { "x": { "command": "y" } },\r\n}',
  '{"mcp":{"x":{"type":"local","command":["y"]}},"z":"\u00e4"}\n\n\n',
  undefined,
];
const TOML_BEFORE = [
  '',
  'model = "o5"\r\n\r\n[mcp_servers.other]\r\ncommand = "a" # kept\r\n',
  '# last line without an end\n[a.b]\nc = 1',
  undefined,
];

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mh-install-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const targetOf = (assistant: Assistant) => ({ assistant, env: { HOME: home }, world: realWorld });

function prepare(assistant: Assistant, text: string | undefined): string {
  const file = assistant.file({ HOME: home });
  if (text === undefined) return file;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe.each(ASSISTANTS)('the entry in the settings of $name', (assistant) => {
  const befores = assistant.name === 'codex' ? TOML_BEFORE : JSON_BEFORE;

  it('is written, corrected and removed so that the file is the same, byte for byte', async () => {
    for (const before of befores) {
      const file = prepare(assistant, before);
      const target = targetOf(assistant);
      expect((await installEntry(target, ENTRY, { repair: false })).change).toBe('installed');
      expect((await findEntry(target)).entry).toEqual(ENTRY);
      expect((await installEntry(target, ENTRY, { repair: false })).change).toBe('unchanged');
      expect((await installEntry(target, MOVED, { repair: true })).change).toBe('updated');
      expect((await findEntry(target)).entry).toEqual(MOVED);
      expect((await uninstallEntry(target)).change).toBe('restored');
      expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(before);
      expect(existsSync(`${file}.before-manyhands`)).toBe(false);
      rmSync(file, { force: true });
    }
  });

  it('leaves what was changed since', async () => {
    const file = prepare(assistant, befores[1]);
    const target = targetOf(assistant);
    await installEntry(target, ENTRY, { repair: false });
    const changed = readFileSync(file, 'utf8').replace(/\ba\b/, 'changed');
    writeFileSync(file, changed);
    expect((await uninstallEntry(target)).change).toBe('removed');
    const left = readFileSync(file, 'utf8');
    expect(left).toContain('changed');
    expect(left).not.toContain('manyhands');
    expect((await uninstallEntry(target)).change).toBe('absent');
    expect((await installEntry(target, ENTRY, { repair: true })).change).toBe('absent');
  });

  it('keeps the rights of the file and the link to it, and refuses a file that cannot be read', async () => {
    const file = prepare(assistant, befores[1]);
    const real = join(home, 'dotfile');
    writeFileSync(real, befores[1] ?? '');
    rmSync(file);
    symlinkSync(real, file);
    chmodSync(real, 0o640);
    await installEntry(targetOf(assistant), ENTRY, { repair: false });
    expect(readFileSync(real, 'utf8')).toContain('manyhands');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    writeFileSync(real, '{ "a": [ = broken');
    await expect(installEntry(targetOf(assistant), ENTRY, { repair: false })).rejects.toThrow('correct it first');
    expect(readFileSync(real, 'utf8')).toBe('{ "a": [ = broken');
  });
});
