import { useReactFlow } from '@xyflow/react';
import { useEffect } from 'react';
import { NODE_HEIGHT, NODE_WIDTH, type Places } from './graph-layout.ts';

/** Brings the node that was looked for into the middle. */
export function Seeker({ sought, places }: { sought: string | null; places: Places }): null {
  const { setCenter } = useReactFlow();
  useEffect(() => {
    const place = sought === null ? undefined : places.get(sought);
    if (place !== undefined) void setCenter(place.x + NODE_WIDTH / 2, place.y + NODE_HEIGHT / 2, { zoom: 1 });
  }, [sought, places, setCenter]);
  return null;
}
