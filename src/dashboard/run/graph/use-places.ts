import { useEffect, useState } from 'react';
import { whenIdle } from '../../look/clock.ts';
import { type Places, placesOf } from './graph-layout.ts';
import type { GraphModel } from './graph-model.ts';

/** Lays a graph out while the page has nothing better to do; until then the former places stay. */
export function usePlaces(model: GraphModel): { model: GraphModel; places: Places } | undefined {
  const [laid, setLaid] = useState<{ model: GraphModel; places: Places } | undefined>();
  useEffect(() => whenIdle(() => setLaid({ model, places: placesOf(model) })), [model]);
  return laid;
}
