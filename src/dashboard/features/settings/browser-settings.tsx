import { type ReactElement, useId } from 'react';
import {
  setDesktopNotifications,
  setSingleKeys,
  setTheme,
  THEMES,
  useDesktopNotifications,
  useSingleKeys,
  useTheme,
} from '../../ui/browser/preferences.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import styles from './settings.module.css';

const TITLES = { system: 'System', light: 'Light', dark: 'Dark' } as const;
const NOTIFICATION_TEXT = {
  on: 'Shown when a run needs you, fails or ends while this page is hidden.',
  off: 'Show when a run needs you, fails or ends. Your browser asks for permission.',
  blocked: 'Blocked by your browser. Allow notifications for this page in its settings first.',
  unsupported: 'Not supported by this browser.',
} as const;

/** The preferences of this browser. */
export function BrowserSettings(): ReactElement {
  const id = useId();
  const theme = useTheme();
  const notifications = useDesktopNotifications();
  const keys = useSingleKeys();
  return (
    <Panel title="This browser">
      <div className={styles.fields}>
        <div className={styles.line}>
          <span className={styles.name}>Theme</span>
          <Tabs
            label="Theme"
            options={THEMES.map((value) => ({ value, title: TITLES[value] }))}
            value={theme}
            onChoose={setTheme}
          />
        </div>
        <div className={styles.line}>
          <label htmlFor={id} className={styles.name}>
            Desktop notifications
          </label>
          <span className={styles.switch}>
            <input
              id={id}
              type="checkbox"
              checked={notifications === 'on'}
              disabled={notifications === 'blocked' || notifications === 'unsupported'}
              onChange={(event) => void setDesktopNotifications(event.target.checked)}
            />
            <span className="quiet">{NOTIFICATION_TEXT[notifications]}</span>
          </span>
        </div>
        <div className={styles.line}>
          <label htmlFor={`${id}-keys`} className={styles.name}>
            Single-key shortcuts
          </label>
          <span className={styles.switch}>
            <input
              id={`${id}-keys`}
              type="checkbox"
              checked={keys}
              onChange={(event) => setSingleKeys(event.target.checked)}
            />
            <span className="quiet">Keys that work anywhere, such as c for a new run. Press ? for the full list.</span>
          </span>
        </div>
      </div>
    </Panel>
  );
}
