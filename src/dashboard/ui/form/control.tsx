import type { ReactElement } from 'react';
import type { ControlProps } from './form-field.tsx';
import { MapControl } from './map-control.tsx';
import { GroupControl, ListControl, UnionControl } from './nested-controls.tsx';
import { JsonControl, LinesControl, TextControl } from './text-controls.tsx';
import { isLines } from './validate.ts';
import { ChoiceControl, DateTimeControl, DurationControl, NumberControl, SwitchControl } from './value-controls.tsx';

/** The control for a field's kind. */
export function Control(props: ControlProps): ReactElement {
  const { field } = props;
  switch (field.kind) {
    case 'text':
      return <TextControl {...props} field={field} />;
    case 'number':
      return <NumberControl {...props} field={field} />;
    case 'duration':
      return <DurationControl {...props} />;
    case 'date-time':
      return <DateTimeControl {...props} />;
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
