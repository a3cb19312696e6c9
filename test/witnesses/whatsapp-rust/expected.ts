/** Complaints of the library that are no fault of the network, each with its reason. */
export const EXPECTED: readonly { text: RegExp; reason: string }[] = [
  {
    text: /^warn whatsapp_rust::send: Phash mismatch for [\w#]+@(s\.whatsapp\.net|lid)/,
    reason:
      'in private chats the library leaves the sending device out of the hash; whatsmeow does not, and nor does the library in groups',
  },
  {
    text: /^warn whatsapp_rust::client::node_io: Transport disconnected: server close frame \(code 1005\)/,
    reason: 'a fault closes the connection without a reason',
  },
  {
    text: /^warn whatsapp_rust::client::node_io: Temporary ban connect failure/,
    reason: 'a fault bans the number for a while',
  },
  {
    text: /^error whatsapp_rust::client::node_io: Client is outdated/,
    reason: 'a test raises the oldest version that the network takes',
  },
  {
    text: /^warn whatsapp_rust::client::lifecycle: Failed to send logout IQ: (client is not connected|internal channel closed)/,
    reason:
      'the library may handle the end of the stream before the answer in front of it, when both come at once',
  },
  {
    text: /^warn whatsapp_rust::prekeys: Pre-key upload failed, retrying in 1s: client is not connected/,
    reason: 'the library uploads keys beside everything else: a test may end the connection before',
  },
];

/** Complaints about a message that a test damages. */
export const ABOUT_DAMAGE =
  /^(warn|error) wacore_libsignal::protocol::(protocol|session_cipher): |^warn whatsapp_rust::message::receive: .* (BadMac|failed to decrypt)/;
