import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeScratch, writeFiles } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';

/** A package manager with a project, its set-up, a check that needs what was installed, and what an index serves. */
type Case = {
  program: string | undefined;
  setup: string;
  check: string;
  files(base: string): Record<string, string>;
  serves(base: string): Record<string, Buffer | string>;
};

const work = mkdtempSync(join(tmpdir(), 'mh-index-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** An archive of files below a folder. */
function archive(folder: string, files: Record<string, string>, pack: (file: string) => string[]): Buffer {
  const root = mkdtempSync(join(work, 'package-'));
  writeFiles(join(root, folder), files);
  const [program = '', ...args] = pack(join(root, 'archive'));
  execFileSync(program, args, { cwd: root });
  return readFileSync(join(root, 'archive'));
}

function tarball(folder: string, files: Record<string, string>): Buffer {
  return archive(folder, files, (file) => ['tar', '-czf', file, folder]);
}

const digest = (kind: string, bytes: Buffer, form: 'hex' | 'base64') => createHash(kind).update(bytes).digest(form);

/** A program on PATH that works; the shims of version managers do not in the home of a test. */
function found(name: string, ...folders: string[]): string | undefined {
  const places = [...folders, ...(process.env.PATH ?? '').split(delimiter)];
  return places
    .map((folder) => join(folder, name))
    .find((file) => {
      if (!existsSync(file)) return false;
      try {
        execFileSync(file, ['--version'], { stdio: 'ignore', env: { PATH: '/usr/bin:/bin', HOME: work } });
        return true;
      } catch {
        return false;
      }
    });
}

function versionsIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'bin')) : [];
}

const npmPackage = tarball('package', {
  'package.json': '{"name":"left","version":"1.0.0","main":"index.js"}',
  'index.js': 'module.exports = 42;\n',
});
const crate = tarball('left-1.0.0', {
  'Cargo.toml': '[package]\nname = "left"\nversion = "1.0.0"\nedition = "2021"\n',
  'src/lib.rs': 'pub fn left() -> u8 { 42 }\n',
});
const python = found('python3', ...versionsIn(join(homedir(), '.pyenv', 'versions')).reverse());

const CASES: Record<'npm' | 'pip' | 'cargo', Case> = {
  npm: {
    program: found('npm', dirname(process.execPath)),
    setup: 'npm ci --no-audit --no-fund',
    check: 'node -e "if (require(\'left\') !== 42) process.exit(1)"',
    files: (base) => ({
      '.npmrc': `registry=${base}/\n`,
      'package.json': '{"name":"shop","dependencies":{"left":"1.0.0"}}\n',
      'package-lock.json': JSON.stringify({
        name: 'shop',
        lockfileVersion: 3,
        packages: {
          '': { name: 'shop', dependencies: { left: '1.0.0' } },
          'node_modules/left': {
            version: '1.0.0',
            resolved: `${base}/left/-/left-1.0.0.tgz`,
            integrity: `sha512-${digest('sha512', npmPackage, 'base64')}`,
          },
        },
      }),
      '.gitignore': 'node_modules/\n',
    }),
    serves: () => ({ '/left/-/left-1.0.0.tgz': npmPackage }),
  },
  pip: {
    program: python,
    setup: 'python3 -m venv .venv && .venv/bin/pip install --disable-pip-version-check -r requirements.txt',
    check: '.venv/bin/python -c "import left, sys; sys.exit(left.VALUE != 42)"',
    files: (base) => ({ 'requirements.txt': `--index-url ${base}/simple/\nleft==1.0\n`, '.gitignore': '.venv/\n' }),
    serves: () => ({ '/simple/left/': '<a href="/left-1.0-py3-none-any.whl">left</a>', ...wheel() }),
  },
  cargo: {
    program: found('cargo', ...versionsIn(join(homedir(), '.rustup', 'toolchains'))),
    setup: 'cargo fetch',
    check: 'cargo run --offline --quiet',
    files: (base) => ({
      '.cargo/config.toml': `[source.crates-io]\nreplace-with = "local"\n[source.local]\nregistry = "sparse+${base}/index/"\n`,
      'Cargo.toml': '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nleft = "1"\n',
      'Cargo.lock': [
        'version = 3\n[[package]]\nname = "left"\nversion = "1.0.0"',
        'source = "registry+https://github.com/rust-lang/crates.io-index"',
        `checksum = "${digest('sha256', crate, 'hex')}"\n[[package]]\nname = "shop"\nversion = "0.1.0"\ndependencies = [\n "left",\n]\n`,
      ].join('\n'),
      'src/main.rs': 'fn main() { assert_eq!(left::left(), 42); }\n',
      '.gitignore': 'target/\n',
    }),
    serves: (base) => ({
      '/index/config.json': JSON.stringify({ dl: `${base}/crates/{crate}-{version}.crate` }),
      '/index/le/ft/left': `${JSON.stringify({ name: 'left', vers: '1.0.0', deps: [], features: {}, yanked: false, cksum: digest('sha256', crate, 'hex') })}\n`,
      '/crates/left-1.0.0.crate': crate,
    }),
  },
};

function wheel(): Record<string, Buffer> {
  const files = {
    'left/__init__.py': 'VALUE = 42\n',
    'left-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: left\nVersion: 1.0\n',
    'left-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    'left-1.0.dist-info/RECORD': '',
  };
  const pack = (file: string) => [python ?? '', '-m', 'zipfile', '-c', file, 'left', 'left-1.0.dist-info'];
  return { '/left-1.0-py3-none-any.whl': archive('', files, pack) };
}

async function startIndex(serves: Case['serves']) {
  const requested: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    requested.push(url);
    const found = contents.get(url);
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': url.endsWith('/') ? 'text/html' : 'application/octet-stream',
    });
    response.end(found ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const contents = new Map(Object.entries(serves(base)));
  return { base, requested, [Symbol.asyncDispose]: async () => void server.close() };
}

describe.skipIf(SANDBOX.missing)(`a set-up against a local index ${SANDBOX.title}`, () => {
  for (const name of variants(['npm'], ['pip', 'cargo'])) {
    const { program, setup, check, files, serves } = CASES[name];
    test.skipIf(program === undefined)(
      `with ${name}${program === undefined ? ' (skipped: it is not installed)' : ''}: the check finds what was installed`,
      async () => {
        await using index = await startIndex(serves);
        const settings = { checks: [check], workspace: { setup: [setup] }, limits: { attempts: 1 } };
        await using shop = await makeScratch({
          files: { ...files(index.base), 'README.md': '#\n', '.manyhands/config.yaml': JSON.stringify(settings) },
        });
        const own = { sandbox: 'require', network: { allow: [new URL(index.base).host] } };
        writeFiles(shop.root, {
          '.config/manyhands/config.yaml': JSON.stringify(own),
          'programs/agent.sh': '#!/bin/sh\necho done >done.txt\n',
        });
        const PATH = `${dirname(program ?? '')}:${dirname(process.execPath)}:/usr/bin:/bin`;
        const agent = `command:${join(shop.root, 'programs', 'agent.sh')}`;
        const ended = await shop.mh(['job', 'x', '--agent', agent, '--json'], {
          env: { MANYHANDS_BWRAP: SANDBOX.program, PATH },
        });
        const run = RunDocument.parse(ended.json);
        expect([ended.code, run.status], ended.stderr).toEqual([0, 'done']);
        expect(index.requested.length).toBeGreaterThan(0);
        expect(await shop.leftovers()).toEqual([]);
      },
      120_000,
    );
  }
});
