/**
 * A script for the console of web.whatsapp.com. WebAuthn gives an assertion for the relying party `whatsapp.com` only to
 * pages of that domain, so that the owner of the number has to run it there. The script draws a button, because browsers
 * show their passkey dialog only after a click into the page.
 * @param options WebAuthn request options as the network sent them
 * @param returnUrl page that takes the answer in its fragment, which browsers send to no server; without this the script
 * shows the answer as a text to copy
 */
export function passkeySnippet(options: object, returnUrl = ''): string {
  // escape characters in JSON that would end a script or a line
  const literal = (value: unknown) =>
    JSON.stringify(value).replace(/[<\u2028\u2029]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    });
  return `(${SCRIPT})(${literal(options)},${literal(returnUrl)})`;
}

/** The script is a single line, because terminals and chats break long texts only at line ends. */
const SCRIPT = `
(options, returnUrl) => {
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
  const text = (buffer) => buffer && btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
  const add = (parent, tag, content, style) => {
    const element = document.createElement(tag);
    element.textContent = content;
    Object.assign(element.style, style);
    parent.append(element);
    return element;
  };
  const box = add(document.body, 'div', '', { position: 'fixed', zIndex: '2147483647', inset: '0', display: 'flex',
    flexDirection: 'column', gap: '16px', alignItems: 'center', justifyContent: 'center', background: '#fff',
    color: '#111', font: '18px system-ui' });
  const note = add(box, 'div', 'Link this number with your passkey.', { maxWidth: '90%', textAlign: 'center' });
  const button = add(box, 'button', 'Use my passkey', { font: 'inherit', padding: '12px 24px', cursor: 'pointer' });
  button.onclick = async () => {
    try {
      const publicKey = { ...options, challenge: bytes(options.challenge) };
      if (options.allowCredentials) {
        publicKey.allowCredentials = options.allowCredentials.map((one) => ({ ...one, id: bytes(one.id) }));
      }
      const found = await navigator.credentials.get({ publicKey });
      const { clientDataJSON, authenticatorData, signature, userHandle } = found.response;
      const answer = JSON.stringify({ id: found.id, rawId: text(found.rawId), type: found.type,
        response: { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData),
          signature: text(signature), userHandle: text(userHandle) },
        clientExtensionResults: {}, authenticatorAttachment: found.authenticatorAttachment });
      if (returnUrl) { location.href = returnUrl + '#passkey=' + encodeURIComponent(answer); return; }
      note.textContent = 'Copy this answer. It links the number: give it only to who asked you.';
      button.remove();
      const area = add(box, 'textarea', '', { width: '90%', height: '40%' });
      area.value = answer;
      area.select();
    } catch (error) {
      note.textContent = 'It did not work: ' + error.message + '. Try again.';
    }
  };
}`
  .trim()
  .replace(/\n\s*/g, ' ');
