import type { Ecosystem } from '../ecosystem.ts';
import { dart } from './dart.ts';
import { deno } from './deno.ts';
import { dotnet } from './dotnet.ts';
import { elixir } from './elixir.ts';
import { go } from './go.ts';
import { jvm } from './jvm.ts';
import { make } from './make.ts';
import { node } from './node.ts';
import { php } from './php.ts';
import { python } from './python.ts';
import { ruby } from './ruby.ts';
import { rust } from './rust.ts';
import { swift } from './swift.ts';

/** Every kind of project that is known; server languages come before those of web pages. */
export const ECOSYSTEMS: readonly Ecosystem[] = [
  php,
  python,
  ruby,
  elixir,
  go,
  rust,
  jvm,
  dotnet,
  dart,
  swift,
  deno,
  node,
];

/** Used where none of these has a test. */
export const FALLBACK: Ecosystem = make;
