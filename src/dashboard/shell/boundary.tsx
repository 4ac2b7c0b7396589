import { Component, type ReactNode } from 'react';
import { Trouble } from '../look/standing.tsx';

/** Keeps the frame standing when a page breaks, and says what broke. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children;
    return <Trouble error={this.state.error} again={() => this.setState({ error: undefined })} />;
  }
}
