import type { InboxModel, InboxState, MessageItem } from '../../../../../src/terminal/cli/inbox/model.js';

/** Resolves with what a look at the state finds, now or after a later change. */
export function found<Value>(
  model: InboxModel,
  look: (state: InboxState) => Value | undefined,
): Promise<Value> {
  const first = look(model.state);
  if (first !== undefined) return Promise.resolve(first);
  return new Promise((resolve) => {
    const unsubscribe = model.subscribe(() => {
      const value = look(model.state);
      if (value === undefined) return;
      unsubscribe();
      resolve(value);
    });
  });
}

/** Resolves when the state fits. */
export async function until(model: InboxModel, fits: (state: InboxState) => boolean): Promise<InboxState> {
  return found(model, (state) => (fits(state) ? state : undefined));
}

/** The message of the open conversation with that id, once it fits. */
export function shown(
  model: InboxModel,
  messageId: string,
  fits: (message: MessageItem) => boolean = () => true,
): Promise<MessageItem> {
  return found(model, ({ conversation }) =>
    conversation?.messages.find((message) => message.messageId === messageId && fits(message)),
  );
}

/** The texts of the open conversation, oldest first. */
export function bodies({ conversation }: InboxState): string[] {
  return conversation?.messages.map(({ body }) => body) ?? [];
}
