import type { ReactElement } from 'react';
import { ChoiceControl } from './choice-control.tsx';
import type { ControlProps } from './form-field.tsx';
import { GroupControl } from './group-control.tsx';
import { JsonControl } from './json-control.tsx';
import { LinesControl } from './lines-control.tsx';
import { ListControl } from './list-control.tsx';
import { MapControl } from './map-control.tsx';
import { isLines } from './mistake.ts';
import { NumberControl } from './number-control.tsx';
import { SwitchControl } from './switch-control.tsx';
import { TextControl } from './text-control.tsx';
import { MomentControl, SpanControl } from './time-control.tsx';
import { UnionControl } from './union-control.tsx';

/** The way of asking that fits a field. */
export function Control(props: ControlProps): ReactElement {
  const { field } = props;
  switch (field.kind) {
    case 'text':
      return <TextControl {...props} field={field} />;
    case 'number':
      return <NumberControl {...props} field={field} />;
    case 'span':
      return <SpanControl {...props} />;
    case 'moment':
      return <MomentControl {...props} />;
    case 'switch':
      return <SwitchControl {...props} />;
    case 'choice':
      return <ChoiceControl {...props} field={field} />;
    case 'list':
      return isLines(field) ? <LinesControl {...props} /> : <ListControl {...props} field={field} />;
    case 'map':
      return <MapControl {...props} field={field} />;
    case 'group':
      return <GroupControl {...props} field={field} />;
    case 'union':
      return <UnionControl {...props} field={field} />;
    case 'json':
      return <JsonControl {...props} />;
  }
}
