import type { DeliveryFigures } from '../../delivery/figures.js';
import { originOf } from '../../domain/shown-url.js';
import type { Fleet, FleetSession, SessionHealth, SessionView } from '../services.js';

export interface FleetOptions {
  sessions: { views(): SessionView[]; health(): SessionHealth[] };
  /** Deliveries on their way, by session. */
  figures(clientId: string): DeliveryFigures;
  /** Failed deliveries that are kept, by session. */
  failures(clientId: string): number;
}

/** All sessions at a glance, from what others count as things happen. */
export function createFleet({ sessions, figures, failures }: FleetOptions): Fleet {
  function show(health: SessionHealth, view: SessionView | undefined): FleetSession {
    const { clientId } = health;
    return {
      ...health,
      orgId: view?.orgId ?? '',
      webhook: {
        origin: originOf(view?.webhookUrl ?? ''),
        ...figures(clientId),
        failed: failures(clientId),
      },
    };
  }

  return {
    sessions(only) {
      const views = new Map(sessions.views().map((view) => [view.clientId, view]));
      return sessions
        .health()
        .filter(({ clientId }) => only === undefined || clientId === only)
        .map((health) => show(health, views.get(health.clientId)))
        .sort((a, b) => (a.clientId < b.clientId ? -1 : 1));
    },
  };
}
