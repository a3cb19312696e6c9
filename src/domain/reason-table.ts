/** The words of one row, or of one kind of it. `advice` tells an operator what to do; the owner of a number is not told. */
export type Words = string | { says: string; advice?: string; terminal?: string };

/** The operations that reasons name, with their calls in the HTTP API. A test holds them to the contract. */
export const CALLS = {
  start: '/start',
  pairPhone: '/pair-phone',
  reconnect: '/reconnect',
  disconnect: '/disconnect',
  exportSession: '/export',
  setWebhook: '/set-webhook',
  pauseWebhook: '/pause-webhook',
  setProxy: '/set-proxy',
  setOrgId: '/set-org-id',
  setRetention: '/set-retention',
  listChatRooms: '/chatrooms',
  listOutbox: 'GET /outbox',
  cancelHeldMessage: 'POST /outbox/cancel',
  deleteMessage: '/delete-message',
  deleteChannelPost: '/delete-channel-post',
  listChannels: '/channels',
  getStatusPrivacy: '/status-privacy',
  setStatusPrivacy: '/set-status-privacy',
} as const;
export type Call = keyof typeof CALLS;

const PAIR_AGAIN = '{Call start} to pair again.';
const OTHER_PROXY =
  'Nothing of the session goes around it: check the proxy, or set another one with {name setProxy}.';
const NEW_QR = 'Scan the new QR code, or request a new pairing code.';
const NEW_CHALLENGE = 'Answer the new challenge.';

const certificate = <T extends string>(fault: T) =>
  ({
    says: `The server is not the network that it should be: ${fault}.`,
    advice: 'Check --network and --network-root, and what stands between here and the network.',
  }) as const;
const proxy = <T extends string>(says: T) => ({ says, advice: OTHER_PROXY }) as const;

/**
 * All reasons with their words. In braces: a value, or a call (`{call start}`, `{Call start}` at the beginning of a
 * sentence, `{name start}` without a verb), which each door names for its users. `kinds`: the value `kind` chooses the words.
 */
export const REASONS = {
  // why a link ended; the codes of `CloseReason`
  restart_required: 'The network asked for a new connection.',
  renewed: {
    kinds: {
      operator: 'An operator asked for a new connection.',
      elsewhere: 'The session is served elsewhere.',
    },
  },
  connection_closed: 'The connection was closed.',
  connection_lost: 'Nothing came from the network for too long.',
  connection_silent: {
    kinds: {
      ping: 'The network did not answer a ping.',
      query: 'The network did not answer a query about changes of chats.',
    },
  },
  network_unreachable: {
    kinds: {
      unreachable: 'The network cannot be reached.',
      refused: 'The network refused the connection ({answer}).',
    },
  },
  connect_timeout: {
    kinds: {
      answer: 'The network did not answer the connection in time.',
      handshake: 'The network did not finish the handshake in time.',
      open: 'The connection did not come up in time.',
      restart: 'The network did not restart the connection after the pairing.',
    },
  },
  service_unavailable: 'The network is unavailable for the moment.',
  stream_error: 'The network ended the connection ({answer}).',
  undecodable_frame: 'The network sent a frame that cannot be decoded.',
  library_fault: 'An error inside the network library ended the connection.',
  store_unavailable: 'The store failed while the link needed it.',
  proxy_failed: {
    kinds: {
      unauthorized: proxy('The proxy did not accept the user name and password.'),
      late: proxy('The proxy did not answer in time.'),
      closed: proxy('The proxy closed the connection before it was open.'),
      foreign: proxy('The proxy answered with something else than its protocol.'),
      unknown_host: proxy('The host name of the proxy cannot be resolved.'),
      unreachable: proxy('The proxy cannot be reached.'),
      untrusted: proxy('The certificate of the proxy is not trusted.'),
      refused: proxy('The proxy did not open the connection ({answer}).'),
      unknown: proxy('The proxy did not open the connection.'),
    },
  },
  certificate_untrusted: {
    kinds: {
      incomplete: certificate('its chain of certificates is incomplete'),
      other_root: certificate('its certificate is not signed by the known root'),
      other_issuer: certificate('its certificate is not signed by its issuer'),
      other_server: certificate('its certificate belongs to another server'),
      expired: certificate("its certificate has expired or is not valid yet; check this machine's clock"),
      unreadable: certificate('its handshake cannot be read'),
    },
  },
  client_outdated: {
    kinds: {
      refused: 'The network no longer accepts this client version.',
      not_accepted: 'The network does not accept this client.',
      unknown: 'The network does not know this client.',
      // a newer version was looked for
      setting:
        'The network no longer accepts this client version ({version}). The setting --wa-version names it: set a newer one, or auto.',
      no_page:
        'The network no longer accepts this client version ({version}). This network has no page that names the current one: set --wa-version.',
      not_newer:
        'The network no longer accepts this client version ({version}). {page} named {found}, which is not newer. It is asked again after ten minutes; if that does not help, upgrade Switchboard.',
      not_looked_up:
        'The network no longer accepts this client version ({version}). The current one could not be looked up ({error}): set --wa-version, or upgrade Switchboard.',
    },
  },
  logged_out: {
    kinds: {
      removed: { says: 'The phone removed this linked device.', advice: PAIR_AGAIN },
      unknown: {
        says: 'The phone removed this linked device, or the network no longer knows it.',
        advice: PAIR_AGAIN,
      },
    },
  },
  device_mismatch: {
    says: 'The account does not take linked devices of this kind; link it again.',
    advice: PAIR_AGAIN,
  },
  data_damaged: {
    kinds: {
      found_by_link: { says: '{damage}', advice: 'Or {call start} to pair again.' },
      found_at_load: { says: '{damage}', advice: 'Or {call disconnect}, and link the number again.' },
    },
  },
  pairing_unfinished: {
    says: 'The network refused the credentials of an unfinished pairing.',
    advice: '{Call start} to begin again.',
  },
  qr_expired: { says: 'No phone scanned the QR code in time.', advice: '{Call start} for new QR codes.' },
  replaced: {
    kinds: {
      taken: {
        says: 'Another client took over this link.',
        advice: 'Stop the other client, then {call reconnect}.',
      },
      // names no reconnect: beside a Switchboard that uses the session, the two would take the link from each other
      exported: {
        says: 'The session was exported, and another Switchboard may use it.',
        advice: 'If none does, use it here again: `switchboard sessions export {clientId} --undo`.',
      },
    },
  },
  account_restricted: {
    kinds: {
      open: {
        says: 'The network has restricted this account for a time.',
        advice: 'Look at the phone; once the restriction has ended, {call reconnect}.',
      },
      timed:
        'The network has restricted this account for a time. It ends at {until}; the session connects again then.',
    },
  },
  account_locked: {
    says: 'The account is locked, or its phone is gone.',
    advice: 'Look at the phone; once the account works there, {call reconnect}.',
  },
  banned: {
    says: 'The network has banned this account.',
    advice: 'Look at the phone: only the network can lift a ban. Once it has, {call reconnect}.',
  },
  pairing_refused: {
    kinds: {
      incomplete_proof:
        'The network sent an incomplete proof of the pairing, which was refused. Scan the new QR code.',
      old_qr: 'The phone scanned a QR code that is no longer valid. Scan the new one.',
      unreadable_proof:
        'The network sent an unreadable proof of the pairing, which was refused. Scan the new QR code.',
      wrong_signature:
        "The account's signature under the pairing is not valid, so the pairing was refused. Scan the new QR code.",
      passkey_no_options: `WhatsApp asked for a passkey, and did not say for which one. ${NEW_QR}`,
      passkey_no_challenge: `WhatsApp gave no new passkey challenge. ${NEW_QR}`,
      passkey_end_refused: `WhatsApp refused the end of the passkey check ({answer}). ${NEW_QR}`,
      passkey_step_refused: `WhatsApp refused a step of the passkey check ({answer}). ${NEW_QR}`,
      passkey_unreadable: `WhatsApp sent an unreadable step of the passkey check. ${NEW_QR}`,
      passkey_declined: `The linking was declined on the phone. ${NEW_QR}`,
      assertion_needed_late: `The passkey challenge was not answered in time. ${NEW_QR}`,
      sending_late: `The phone did not continue in time. ${NEW_QR}`,
      confirm_code_late: `The code was not confirmed in time. ${NEW_QR}`,
      finishing_late: `WhatsApp did not finish the linking in time. ${NEW_QR}`,
    },
  },
  // a pairing that goes on
  pairing_step_failed: {
    kinds: {
      new_code_asked: 'The phone asks for a new code: request one again.',
      code_expired: 'The code has expired: it is valid for three minutes. Request a new one.',
      repeated: 'The network repeated a step of the pairing too often. Request a new code.',
      incomplete: 'The network sent an incomplete step of the pairing. Request a new code.',
      code_unanswered: 'The network did not answer the request. Type it again, or request a new one.',
      code_refused: 'The network refused the typed code ({answer}). Type it again, or request a new one.',
      passkey_late: `The answer to the passkey challenge came too late. ${NEW_CHALLENGE}`,
      passkey_refused: `WhatsApp refused the answer to the passkey challenge ({answer}). ${NEW_CHALLENGE}`,
      passkey_disorder: 'WhatsApp sent a step of the passkey check that does not follow from the one before.',
    },
  },
  passkey: {
    kinds: {
      assertion_needed: {
        says: "passkey: WhatsApp asks the account's owner for a passkey.",
        advice: 'Run `switchboard pair`.',
      },
      sending: 'passkey: the answer was sent; the phone must continue.',
      confirm_code: 'passkey: compare the code with the one on the phone, then confirm it.',
      finishing: 'passkey: the code was confirmed; WhatsApp finishes the linking.',
    },
  },
  not_deleted: 'It was disconnected, but not deleted: the store could not be reached.',
  connecting: 'still connecting',
  unheld: {
    kinds: {
      free: 'no node holds it: one takes it within seconds, unless all are draining',
      node_gone: 'the node that held it is gone: another one takes it in {seconds} s',
      taken_up: 'the node {podName} is taking it up',
      node_silent: 'the node {podName}, which holds it, does not answer',
    },
  },
  unheld_with_reason: '{why}. Before that: {before}',
  /** Words that an earlier release stored, as they are. */
  former_words: '{words}',

  // why an event was not delivered
  answered: 'answered {status}',
  redirected: 'answered {status}; redirects are not followed, set the final address',
  address_private:
    '{where} is a loopback, link-local, private or reserved address; --allow-private-urls permits it',
  not_callable: 'cannot be called: {error}',
  broker_address: '{error}',
  no_http_address: 'the webhook is no http(s) address',
  no_webhook: 'no webhook',
  webhook_gone: 'the session has no webhook',
  gateway_stops: 'aborted because the gateway stops',
  call_failed: {
    kinds: {
      refused: '{error}',
      timeout: '{error}',
      unknown_host: '{error}',
      tls: '{error}',
      unreachable: '{error}',
    },
  },
  broker_failed: {
    kinds: {
      failed: '{error}',
      refused: '{error}',
      flood: '{error}',
      private: '{error}',
      node: '{error}',
    },
  },
  receiver_paused: '{receiver} is paused: {pause}',
  store_full: 'the store takes no events',
  queue_full: 'too many events were waiting for this receiver',
  bytes_full: 'too many bytes of events were waiting for this receiver',
  stopping: 'the gateway stopped before the event was delivered',
  moved: 'the session moved to another node before the event was delivered',
  expired: 'not delivered within {time}',
  after_attempt: '{why} (last attempt: {last})',
  event_damaged: 'the stored event is damaged: restore a backup',

  store_failed: '{what}: {error}.',

  // why a call was refused, where the words depend on the door
  session_unknown: {
    says: 'unknown clientId {clientId}; {call start} first',
    terminal: 'there is no session {clientId}',
  },
  session_state: 'session {clientId} is {status}: {why}',
  session_suspended: '{clientId} is {status}: {why}',
  session_not_connected: '{clientId} is not connected ({why}); retry',
  session_not_linked: 'session {clientId} is not paired; {call start}',
  session_exists: 'session {clientId} exists; choose another clientId, or {call disconnect} first',
  session_not_exported: 'session {clientId} is {status}; {call exportSession}, which stops it',
  session_damaged: '{damage} Or {call disconnect} first.',
  pair_again: PAIR_AGAIN,
  pair_with_phone: '{call start}, then {name pairPhone} again',
  still_linked: 'it is still linked: {call reconnect}',
  connect_again: '{call reconnect}',
  pairing_not_opened: 'the network did not open a pairing; {call start} and retry',
  never_linked: 'credentials: this number was never linked to the end; link it with {name start}',
  nothing_sent: 'nothing was sent: the session is not connected ({why}); retry',
  webhook_not_kept: 'session started, but the webhook could not be persisted; {call setWebhook}',
  webhook_missing: {
    says: 'session {clientId} has no webhookUrl; set it with {name setWebhook}',
    terminal: 'session {clientId} has no webhook; set it with {name setWebhook}',
  },
  webhook_is_no_receiver: {
    kinds: {
      changed: {
        says: 'id: receiver {id} is the webhook of the session; change it with {name setWebhook} or {name pauseWebhook}',
        terminal:
          'id: receiver {id} is the webhook of the session; change it with {name setWebhook}, also to pause it',
      },
      removed: {
        says: 'id: receiver {id} is the webhook of the session; switch it off with {name setWebhook} and an empty webhookUrl',
        terminal:
          'id: receiver {id} is the webhook of the session; switch it off with {name setWebhook}, with `--off`',
      },
    },
  },
  presence_is_off: {
    says: '{clientId} has no presence in its extraEvents, which lets the number appear online; name it in {name setWebhook}',
    terminal:
      '{clientId} has no presence in its extra events, which lets the number appear online: name it with {name setWebhook}, flag `--extra-event`',
  },
  room_unknown: 'there is no chat room {chatRoomId}; take the ids from {name listChatRooms}',
  message_waits: {
    kinds: {
      named: 'messageId: {messageId} has not left: its policy holds it back ({name listOutbox})',
      edited:
        'messageId: {messageId} has not left: its policy holds it back; cancel it ({name cancelHeldMessage}) and send a new message instead',
    },
  },
  content_unknown:
    'messageId: the content of {messageId} is not stored; forwarding needs a message of the hosted history ({name setOrgId}), or an own one of the last 14 days',
  chat_without_message:
    'to: no message of the chat with {to} is stored, and one is needed to flag it unread; history is kept once {name setOrgId} has set an orgId',
  history_off: {
    kinds: {
      no_workspace:
        '{clientId} keeps no history, in which the answer could be stored; set its orgId with {name setOrgId}',
      older_deleted:
        '{clientId} deletes messages as old as the oldest stored one of the chat; keep them longer with {name setRetention}',
    },
  },
  message_without_text: {
    says: 'messageId: {messageId} has no text; only texts and the captions of pictures, films and documents can be edited',
    terminal:
      'message {messageId} has no text; only texts and the captions of pictures, films and documents can be edited',
  },
  status_not_deleted: {
    kinds: {
      no_contact: {
        says: "The status was not deleted: a deletion is sent to the people who may see the statuses, and the gateway knows no contact in the linked phone's address book who may.",
        advice: 'Delete the status on the phone.',
      },
      nobody_named: {
        says: 'The status was not deleted: a deletion is sent to the people who may see the statuses, and the privacy setting names nobody.',
        advice: 'Delete the status on the phone.',
      },
    },
  },
  held_or_not:
    'It is unknown whether the message {messageId} is held: {why} {hint}. If it is held, {name listOutbox} lists it, and it can be cancelled.',
  no_status: {
    kinds: {
      message: {
        says: 'messageId: {messageId} is a message of a chat and no status; delete it with {name deleteMessage}',
        terminal: '{messageId} is a message of a chat and no status; delete it with {name deleteMessage}',
      },
      channel_post: {
        says: 'messageId: {messageId} is a post of a channel and no status; delete it with {name deleteChannelPost}',
        terminal: '{messageId} is a post of a channel and no status; delete it with {name deleteChannelPost}',
      },
    },
  },
  status_unknown:
    'The gateway knows no own status {messageId}: one that another device posted is known for a day, and only if events of the type status_post are wanted. Delete others on the phone.',
  audience_empty: {
    kinds: {
      named: {
        says: 'Nothing was sent, because nobody in audience may see the statuses of this account: they must be contacts of the linked phone, and neither left out by the privacy setting, nor blocked, nor on the deny list of the policy.',
        advice: '{Call getStatusPrivacy} to see the setting.',
      },
      only: {
        says: 'Nothing was sent, because the privacy setting names nobody who is neither blocked nor on the deny list of the policy.',
        advice: '{Call setStatusPrivacy} to name others, or do it on the phone.',
      },
      contacts: {
        says: "Nothing was sent, because nobody could see the status: the gateway knows no contact in the linked phone's address book who may see it.",
        advice:
          'Save people as contacts on the phone, which shares them a moment later; {call getStatusPrivacy} to see who is left out.',
      },
    },
  },
  channel_unknown: {
    says: 'The network knows no such channel.',
    advice: 'Check its jid or link; {call listChannels} to see those that the number follows.',
  },
  field: '{field}: {why}',
  receiver_refuses: '{url} does not take calls of this gateway: {why}',
} as const satisfies Record<string, Words | { kinds: Readonly<Record<string, Words>> }>;
