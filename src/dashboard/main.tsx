import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './ui/theme.css';
import './ui/state/state-colors.css';
import { ServerUnreachableError } from './api/api-error.ts';
import { onReconnect } from './api/run-overview.ts';
import { installShell } from './app/install-shell.ts';
import { Shell } from './app/shell.tsx';
import { startTheme } from './ui/browser/preferences.ts';

const ROOT = document.getElementById('root');
if (ROOT === null) throw new Error('The page has no element #root');

startTheme();
installShell();

/** Results stay valid until an event says otherwise, so nothing is fetched again automatically. */
const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      refetchOnWindowFocus: false,
      retry: (times, error) => error instanceof ServerUnreachableError && times < 5,
    },
  },
});

onReconnect(
  () => void client.refetchQueries({ predicate: ({ state }) => state.error instanceof ServerUnreachableError }),
);

createRoot(ROOT).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Shell />
    </QueryClientProvider>
  </StrictMode>,
);
