import type { Implementations } from '../../engine/loop/context.ts';
import type { Forge } from '../../forges/forge.ts';
import type { Remote } from '../../git/push/remote.ts';
import type { Home } from '../../home.ts';
import type { Config } from '../../schema/config.ts';
import type { World } from '../../world.ts';

/** Where forges are asked from. */
export type ForgeContext = { home: Home; env: NodeJS.ProcessEnv; world: World; parts: Implementations };

/** A forge with the repository and settings it belongs to. */
export type AtForge = { forge: Forge; remote: Remote; config: Config; root: string };
