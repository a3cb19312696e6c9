import type { Route } from '../route.js';
import { markRead } from './chats/mark-read.js';
import { markUnread } from './chats/mark-unread.js';
import { failedDeliveries } from './deliveries/failed-deliveries.js';
import { failedDelivery } from './deliveries/failed-delivery.js';
import { listenWebhook } from './deliveries/listen-webhook.js';
import { resend } from './deliveries/resend.js';
import { sendTestEvent } from './deliveries/send-test-event.js';
import { unlistenWebhook } from './deliveries/unlisten-webhook.js';
import { docs } from './docs/docs.js';
import { openapi } from './docs/openapi.js';
import { events } from './events/events.js';
import { fleet } from './fleet/fleet.js';
import { createGroup } from './groups/create-group.js';
import { getGroupParticipants } from './groups/get-group-participants.js';
import { getGroups } from './groups/get-groups.js';
import { groupInviteLink } from './groups/group-invite-link.js';
import { leaveGroup } from './groups/leave-group.js';
import { updateGroupMembers } from './groups/update-group-members.js';
import { healthClients } from './health/clients.js';
import { config } from './health/config.js';
import { live } from './health/live.js';
import { metrics } from './health/metrics.js';
import { ready } from './health/ready.js';
import { chatrooms } from './inbox/chatrooms.js';
import { mediaUrl } from './inbox/media-url.js';
import { messages } from './inbox/messages.js';
import { read } from './inbox/read.js';
import { media } from './media/media.js';
import { mediaFileUrl } from './media/media-file-url.js';
import { mediaFiles } from './media/media-files.js';
import { deleteMessage } from './messages/delete-message.js';
import { sends } from './messages/send.js';
import { sendMedia } from './messages/send-media.js';
import { sendTyping } from './messages/send-typing.js';
import { drainNode } from './nodes/drain.js';
import { nodes } from './nodes/nodes.js';
import { checkOwnerLid } from './people/check-owner-lid.js';
import { profilePicture } from './people/profile-picture.js';
import { refreshAvatars } from './people/refresh-avatars.js';
import { userInfo } from './people/user-info.js';
import { checkState } from './sessions/check-state.js';
import { clients } from './sessions/clients.js';
import { disconnect } from './sessions/disconnect.js';
import { pairPhone } from './sessions/pair-phone.js';
import { qr } from './sessions/qr.js';
import { reconnect } from './sessions/reconnect.js';
import { setApiSecret } from './sessions/set-api-secret.js';
import { setEnableGroupAi } from './sessions/set-enable-group-ai.js';
import { setOrgId } from './sessions/set-org-id.js';
import { setWebhook } from './sessions/set-webhook.js';
import { start } from './sessions/start.js';

/** Every route; a new one is one more line. */
export const ROUTES: readonly Route[] = [
  start,
  qr,
  pairPhone,
  checkState,
  clients,
  setWebhook,
  setOrgId,
  setApiSecret,
  setEnableGroupAi,
  reconnect,
  disconnect,
  ...sends,
  sendMedia,
  sendTyping,
  deleteMessage,
  markRead,
  markUnread,
  userInfo,
  checkOwnerLid,
  profilePicture,
  refreshAvatars,
  getGroups,
  getGroupParticipants,
  createGroup,
  updateGroupMembers,
  groupInviteLink,
  leaveGroup,
  chatrooms,
  messages,
  mediaUrl,
  read,
  mediaFiles,
  mediaFileUrl,
  media,
  sendTestEvent,
  listenWebhook,
  unlistenWebhook,
  failedDeliveries,
  failedDelivery,
  resend,
  events,
  fleet,
  nodes,
  drainNode,
  live,
  ready,
  healthClients,
  config,
  metrics,
  openapi,
  ...docs,
];
