import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { COMMANDS } from '../src/cli/commands/all.ts';
import { Config } from '../src/schema/config.ts';

const folder = fileURLToPath(new URL('../deploy/', import.meta.url));
const read = (file: string) => readFileSync(`${folder}${file}`, 'utf8');

const Text = z.string().min(1);
/** The part of the Compose specification that the file uses; anything else is a mistake. */
const Service = z.strictObject({
  image: Text.optional(),
  build: z.strictObject({ context: Text, dockerfile: Text }).optional(),
  command: z.array(Text).optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']).optional(),
  depends_on: z.record(Text, z.strictObject({ condition: z.enum(['service_started', 'service_healthy']) })).optional(),
  environment: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), Text).optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)).optional(),
  volumes: z.array(z.string().regex(/^[\w./-]+:\/[\w./-]+(?::ro)?$/)).optional(),
  healthcheck: z
    .strictObject({ test: z.array(Text), interval: Text, timeout: Text, retries: z.number().int() })
    .optional(),
});
const Compose = z.strictObject({ services: z.record(Text, Service), volumes: z.record(Text, z.null()) });

describe('the compose file', () => {
  const compose = Compose.parse(parse(read('compose.yaml'), { merge: true }));

  test('names only services, volumes and files that exist, and commands of the program', () => {
    const commands = COMMANDS.map(({ name }) => name);
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.image !== undefined || service.build !== undefined, name).toBe(true);
      for (const other of Object.keys(service.depends_on ?? {})) expect(compose.services).toHaveProperty(other);
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) expect(existsSync(`${folder}${source}`), source).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
      if (service.build !== undefined) expect(existsSync(`${folder}../${service.build.dockerfile}`)).toBe(true);
      if (service.command !== undefined) expect(commands).toContain(service.command[0]);
    }
  });

  test('has no secret, and passes the database to no host but its own login', () => {
    for (const [name, { environment = {} }] of Object.entries(compose.services))
      for (const [key, value] of Object.entries(environment)) {
        if (/PASSWORD/.test(key)) expect(value).toMatch(/^\$\{\w+:\?/);
        if (name.startsWith('host-')) expect(`${key}=${value}`).not.toMatch(/PASSWORD/);
      }
  });

  test('is accepted by docker compose, where that is installed', ({ skip }) => {
    const programs = [['docker', 'compose'], ['docker-compose']];
    const [program = '', ...first] =
      programs.find(([name = '', ...args]) => spawnSync(name, [...args, 'version']).status === 0) ?? [];
    if (program === '') skip('there is no docker compose here');
    const env = { ...process.env, DATABASE_PASSWORD: 'x', HOST_1_DATABASE_URL: 'x', HOST_2_DATABASE_URL: 'x' };
    const checked = spawnSync(program, [...first, '--file', `${folder}compose.yaml`, 'config', '--quiet'], { env });
    expect(checked.stderr.toString()).toBe('');
    expect(checked.status).toBe(0);
  });
});

test('the image gets neither the passwords of .env nor dependencies of the machine that builds it', () => {
  const ignored = read('Dockerfile.dockerignore').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['**/.env', '.git', '.setup', 'dist', 'node_modules']));
});

test('the settings of the server are valid', () => {
  expect(Config.safeParse(parse(read('config/config.yaml'))).success).toBe(true);
});

test('the units of systemd start commands of the program', () => {
  for (const file of readdirSync(`${folder}systemd`)) {
    const command = /^ExecStart=\/usr\/bin\/env manyhands (\S+)/m.exec(read(`systemd/${file}`))?.[1];
    expect(COMMANDS.map(({ name }) => name)).toContain(command);
  }
});
