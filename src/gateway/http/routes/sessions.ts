import { sessions } from '../../../contract/sessions.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { GatewayError } from '../../../domain/errors.js';
import { type ReasonFields, toFields } from '../../../domain/reasons.js';
import type { Services, SessionView } from '../../services/services.js';
import { confinedTo } from '../caller.js';
import { type Route, route } from '../route.js';

/** Number of cached images: clients ask every 2 s for a QR code that stays the same for 20 s or more, and drawing is slow. */
const IMAGES_KEPT = 200;
const images = boundedCache<Promise<string>>(IMAGES_KEPT);

export const sessionRoutes: readonly Route[] = [
  route(sessions.start, async (request, { services, facts }) => {
    const { query, payload } = request;
    if (payload.proxy !== undefined && confinedTo(request) !== undefined)
      throw new GatewayError('forbidden', 'proxy: only the master token may set it');
    const view = await services.sessions.start(query.clientId, payload);
    const { clientId, status, webhookUrl, pollLookupUrl } = view;
    return { clientId, status, podName: facts.podName, webhookUrl, pollLookupUrl };
  }),
  route(sessions.getQr, async ({ query }, { services }) => {
    const current = services.sessions.qr(query.clientId);
    if (current.qr) return query.format === 'text' ? current : { ...current, qr: await qrImage(current.qr) };
    return { ...current, ...reasonOf(query.clientId, services) };
  }),
  route(sessions.pairPhone, async ({ payload: { clientId, phone } }, { services }) => {
    const digits = phone.replace('+', '');
    return { clientId, phone: digits, code: await services.sessions.pairPhone(clientId, digits) };
  }),
  route(sessions.restrictions, ({ query: { clientId } }, { services }) => services.restrictions.of(clientId)),
  route(sessions.checkState, ({ payload }, { services }) => {
    const [health] = services.sessions.health(payload.clientId);
    if (!health) return { status: false, state: 'unknown clientId' };
    if (health.connected) return { status: true, state: health.jid };
    return { status: false, state: 'not connected', ...reasonOf(payload.clientId, services) };
  }),
  route(sessions.listClients, async (request, { services, facts }) => {
    const own = confinedTo(request);
    const only = request.query.clientId ?? (own?.length === 1 ? own[0] : undefined);
    const views = (await services.sessions.list(only)).filter(
      ({ clientId }) => own?.includes(clientId) ?? true,
    );
    const podNameOf = await holders(services, views, facts.podName, only);
    return {
      clients: views.map(
        ({
          clientId,
          jid,
          orgId,
          webhookUrl,
          extraEvents,
          status,
          proxy,
          retentionDays,
          keepEvents,
          secretSharedWith,
          ...webhook
        }) => {
          const podName = podNameOf(clientId);
          const row = {
            clientId,
            jid,
            podName,
            orgId,
            webhookUrl,
            extraEvents,
            status,
            ...(proxy && { proxy }),
            ...(webhook.retry && { retry: webhook.retry }),
            ...(webhook.webhookPaused && { webhookPaused: webhook.webhookPaused }),
            ...(retentionDays !== undefined && { retentionDays }),
            ...(keepEvents !== undefined && { keepEvents }),
            ...(secretSharedWith && { secretSharedWith }),
          };
          const listener = services.listening.view(clientId);
          return listener
            ? { ...row, listener: { url: listener.webhookUrl, expiresAt: listener.expiresAt } }
            : row;
        },
      ),
    };
  }),
  route(sessions.setWebhook, async ({ payload: { clientId, ...settings } }, { services }) => {
    const { webhookUrl, pollLookupUrl, retry, previousTokenUntil } = await services.sessions.setWebhook(
      clientId,
      settings,
    );
    return {
      ...{ ok: true, clientId, webhookUrl, pollLookupUrl },
      ...(retry && { retry }),
      ...(previousTokenUntil && { previousTokenUntil }),
    };
  }),
  route(sessions.pauseWebhook, async ({ payload: { clientId, paused } }, { services }) => {
    await services.sessions.setWebhook(clientId, { webhookPaused: paused ? 'operator' : '' });
    return { ok: true, clientId, paused };
  }),
  route(sessions.setOrgId, async (request, { services }) => {
    const { payload } = request;
    // otherwise a tenant could leave the policy of its workspace, or take that of another tenant
    if (services.policies.nameWorkspaces && confinedTo(request) !== undefined)
      throw new GatewayError(
        'forbidden',
        'orgId: only the master token may set it while a policy is given to workspaces',
      );
    const { clientId, orgId } = await services.sessions.setOrgId(payload.clientId, payload.orgId);
    return { ok: true, clientId, orgId };
  }),
  route(sessions.setApiSecret, async ({ payload }, { services, isMasterToken }) => {
    if (isMasterToken(payload.secret))
      throw new GatewayError(
        'invalid_request',
        'secret must not be the master token: it would open every session',
      );
    const { clientId, hasSecret } = await services.sessions.setApiSecret(payload.clientId, payload.secret);
    return { clientId, hasSecret };
  }),
  route(sessions.setEnableGroupAi, async ({ payload }, { services }) => {
    const view = await services.sessions.setEnableGroupAi(payload.clientId, payload.enabled);
    return { ok: true, clientId: view.clientId, enabled: view.enableGroupAi };
  }),
  route(sessions.setProxy, async ({ payload }, { services }) => {
    const { clientId, proxy } = await services.sessions.setProxy(payload.clientId, payload.proxy);
    return { ok: true, clientId, ...(proxy && { proxy }) };
  }),
  route(sessions.setRetention, async ({ payload }, { services }) => {
    const { clientId, days, keepEvents: wanted } = payload;
    const { retentionDays, keepEvents } = await services.sessions.setRetention(clientId, {
      ...(days !== undefined && { retentionDays: days }),
      ...(wanted !== undefined && { keepEvents: wanted }),
    });
    if (wanted === 0) await services.replays.removeAll(clientId);
    return { ok: true, clientId, days: retentionDays ?? null, ...(keepEvents && { keepEvents }) };
  }),
  route(sessions.setRejectCalls, async ({ payload }, { services }) => {
    const { clientId, rejectCalls } = await services.sessions.setRejectCalls(
      payload.clientId,
      payload.enabled,
    );
    return { ok: true, clientId, enabled: rejectCalls };
  }),
  route(sessions.reconnect, async ({ payload }, { services }) => {
    const { clientId, status } = await services.sessions.reconnect(payload.clientId);
    return { ok: true, clientId, status };
  }),
  route(sessions.disconnect, async ({ payload: { clientId } }, { services }) => {
    const { warning } = await services.sessions.disconnect(clientId);
    return { ok: true, clientId, ...(warning && { warning }) };
  }),
];

function qrImage(text: string): Promise<string> {
  const known = images.get(text);
  if (known) return known;
  const image = import('qrcode').then(({ default: codes }) =>
    codes.toDataURL(text, { errorCorrectionLevel: 'M' }),
  );
  images.set(text, image);
  return image;
}

/** Names the node that holds a session; empty when none does. Reads the leases only if this node does not hold all. */
async function holders(
  { sessions, nodes }: Services,
  views: readonly SessionView[],
  podName: string,
  only: string | undefined,
): Promise<(clientId: string) => string> {
  const isElsewhere = views.some(({ clientId }) => !sessions.has(clientId));
  const leases = isElsewhere ? await nodes.leases(only) : [];
  const names = new Map(leases.map((lease) => [lease.clientId, lease.podName]));
  return (clientId) => (sessions.has(clientId) ? podName : (names.get(clientId) ?? ''));
}

/** The reason of a session's status; no fields if there is none. */
function reasonOf(clientId: string, { sessions }: Services): Partial<ReasonFields> {
  const { reason } = sessions.get(clientId);
  return reason ? toFields(reason, clientId) : {};
}
