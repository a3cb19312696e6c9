import { clientId, count, flag, named, type TypeOf, text, timeOrEmpty } from './schema.js';

/** The fields of `/restrictions` and of the event `account_status`. */
export const restrictionFields = {
  clientId,
  restricted: flag,
  until: timeOrEmpty.description('When the restriction ends; empty if the network does not say it'),
  reason: text.description(
    "Reason for people, with the network's name for it in brackets; empty without a restriction",
  ),
  warning: text.description(
    "The network's warning before the limit of new chats: `FIRST_WARNING`, `SECOND_WARNING`; empty without a warning",
  ),
  newChats: named('NewChats', {
    used: count.description('Chats that the number has begun in this period'),
    limit: count.description('Chats that the number may begin; 0 if the network names no limit'),
    resetsAt: timeOrEmpty.description('When the next period begins; empty if unknown'),
  }),
};
export const restrictionsAnswer = named('RestrictionsAnswer', restrictionFields);
export type RestrictionsAnswer = TypeOf<typeof restrictionsAnswer>;
